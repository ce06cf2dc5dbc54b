// muniment's plugin for OpenCode: hands events to `muniment hook opencode`, and gives the model what that answers.
// Written by `muniment install opencode`, and replaced by it. It never throws and never waits long.

import { execFile } from "node:child_process";

const MUNIMENT = "muniment";
const PATIENCE_MS = 5000;
const LONGEST = 2000; // characters of what a tool printed: its beginning and its end
const MOST = 2000000; // characters of a session: with three bytes for each, an event stays under 8 MiB
const LATEST = 50; // so many messages are what was said before a prompt
const WRITES = { write: "Write", edit: "Edit", apply_patch: "apply_patch" };

export const Muniment = async ({ client, directory }) => {
  const contexts = new Map(); // what each session of the person's is told; a subagent's has null
  const commands = new Set(); // the sessions whose next prompt is a command's text
  let handing = Promise.resolve();

  const hook = (name, session, more) =>
    asked({ hook_event_name: name, session_id: session, cwd: directory, ...more });

  async function messagesOf(id, query) {
    const { data } = await client.session.messages({ path: { id }, query });
    return Array.isArray(data) ? data.flatMap(asLines) : [];
  }

  // Only the person's own sessions: a subagent's prompts are its agent's.
  async function isPersons(id, before) {
    if (!contexts.has(id)) {
      const { data } = await client.session.get({ path: { id } });
      if (!data) return false;
      const source = before.length ? "resume" : "startup";
      contexts.set(id, data.parentID ? null : await hook("SessionStart", id, { source }));
    }
    return contexts.get(id) !== null;
  }

  async function handOver(id) {
    if (typeof contexts.get(id) !== "string") return;
    const messages = await messagesOf(id);
    while (JSON.stringify(messages).length > MOST) messages.splice(0, Math.ceil(messages.length / 2));
    const last = messages.findLast((each) => each.role === "assistant" && each.content);
    await hook("Stop", id, { messages, last_assistant_message: last && last.content });
  }

  return {
    "command.execute.before": safe(async ({ sessionID }) => {
      commands.add(sessionID);
    }),
    "chat.message": safe(async ({ sessionID }, { message, parts }) => {
      const source = commands.delete(sessionID) ? "command" : "";
      const before = await messagesOf(sessionID, { limit: LATEST });
      if (!(await isPersons(sessionID, before))) return;
      const told = { prompt: typed(parts), prompt_id: message.id, source, messages: before };
      const text = await hook("UserPromptSubmit", sessionID, told);
      const id = `${parts[parts.length - 1].id}m`; // parts are in the order of their ids
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", synthetic: true, text });
    }),
    "experimental.chat.system.transform": safe(async ({ sessionID }, { system }) => {
      if (contexts.get(sessionID)) system.push(contexts.get(sessionID));
    }),
    "tool.execute.after": safe(async ({ tool, sessionID, args }) => {
      const given = { file_path: args.filePath, command: args.patchText };
      if (WRITES[tool]) await hook("PostToolUse", sessionID, { tool_name: WRITES[tool], tool_input: given });
    }),
    event: safe(async ({ event }) => {
      if (event.type !== "session.idle") return;
      handing = handing.then(() => safe(handOver)(event.properties.sessionID));
      await handing;
    }),
    // OpenCode ends without waiting for an event, but waits for this.
    dispose: safe(async () => {
      await handing;
      const persons = [...contexts.keys()].filter((id) => contexts.get(id) !== null);
      await Promise.all(persons.map((id) => hook("SessionEnd", id)));
    }),
  };
};

function safe(does) {
  return async (...given) => {
    try {
      await does(...given);
    } catch {
      // a memory is never worth an agent that stands still
    }
  };
}

// What a person typed: other texts of a prompt are files and the like.
function typed(parts) {
  const text = parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n");
  // `opencode run` puts an argument that has spaces between quotation marks.
  const quoted = process.argv[2] === "run" && /^"([^]*)"$/.exec(text);
  return quoted ? quoted[1].replaceAll('\\"', '"') : text;
}

// A message of OpenCode's as the lines of a plain list of messages.
function asLines({ info, parts }) {
  if (info.summary === true) return []; // of a compaction: what was said stands before it
  const at = { session_id: info.sessionID, timestamp: new Date(info.time.created).toISOString() };
  const ended = parts.filter((part) => part.type === "tool" && /^(completed|error)$/.test(part.state.status));
  const calls = ended.map((part) => ({ id: part.callID, name: part.tool, input: part.state.input }));
  const first = { role: info.role, id: info.id, ...at, content: typed(parts), tool_calls: calls };
  return [first, ...ended.map((part) => ({ role: "tool", tool_call_id: part.callID, ...at, ...resultOf(part.state) }))];
}

function resultOf(state) {
  const code = state.metadata && state.metadata.exit;
  const text = String(state.output || state.error || "");
  const content = text.length > LONGEST ? text.slice(0, LONGEST / 2) + text.slice(-LONGEST / 2) : text;
  return { content, is_error: state.status === "error" || (typeof code === "number" && code !== 0) };
}

// What muniment answers to an event; nothing where it is missing, fails or takes too long.
function asked(event) {
  return new Promise((resolve) => {
    const child = execFile(MUNIMENT, ["hook", "opencode"], (error, out) => ended(error ? "" : contextIn(out)));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      ended(""); // though a process of its own may hold the pipes
    }, PATIENCE_MS);
    function ended(text) {
      clearTimeout(timer);
      resolve(text);
    }
    child.stdin.on("error", () => {}).end(JSON.stringify(event));
  });
}

function contextIn(out) {
  try {
    return JSON.parse(out).hookSpecificOutput.additionalContext;
  } catch {
    return "";
  }
}

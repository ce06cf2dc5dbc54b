// Has a verifier judge chains, proof files and signatures, and gives what the tests compare: run by node, and by a browser's page.

/** Return the report on each chain with what holds of its lines, or why there is none. */
async function reports(verifier, cases) {
  const found = [];
  for (const { chain, given } of cases) {
    const lines = [];
    try {
      const report = await verifier.verifyChain(bytesOf(chain), given, { line: (line) => lines.push(line) });
      found.push({ ...report, lines });
    } catch (error) {
      found.push({ error: error.message });
    }
  }
  return found;
}

/** Return the judgement on each proof file, or why there is none. */
async function proofs(verifier, cases) {
  const judge = ({ file, vkey }) => verifier.verifyProof(bytesOf(file), vkey);
  return Promise.all(cases.map((each) => judge(each).catch((error) => ({ error: error.message }))));
}

/** Say of each signature whether it holds. */
async function holding(verifier, cases) {
  const verify = await verifier.signatures();
  return Promise.all(cases.map(({ key, message, signature }) => verify(bytesOf(key), bytesOf(message), bytesOf(signature))));
}

/** Return of each number of leaves, which are the numbers from 0 on, the root and each inclusion proof. */
function trees({ Tree, leafHash }, cases) {
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const tree = new Tree();
  for (let leaf = 0; leaf < Math.max(...cases.map(({ size }) => size)); leaf++) tree.add(leafHash(Uint8Array.of(leaf)));
  return cases.map(({ size }) => {
    const proofs = Array.from({ length: size }, (_, index) => tree.inclusionProof(index, size).map(hex));
    return { root: hex(tree.root(size)), proofs };
  });
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

globalThis.cases = { reports, proofs, holding, trees };

/** The main thread's side of the worker: questions with answers, and news while it verifies. */

import type { About } from "./data";
import type { Answer, FromWorker, Given, Question, ToWorker, Verdicts } from "./messages";

/** The worker's program, which the build puts in the place of this name. */
declare const WORKER_SOURCE: string;

/** How far the verification is, and what it found once it ended. */
export interface Progress {
  done: number;
  of: number;
  verdict: Verdicts | null;
  /** Why a key that the reader gave cannot be used. */
  unusable: string;
}

export class Client {
  progress: Progress = { done: 0, of: 0, verdict: null, unusable: "" };
  /** The memories that the reader decided on since the page was opened, which no longer wait. */
  readonly settled = new Set<string>();
  private readonly worker: Worker;
  private readonly open = new Map<number, { answered: (answer: any) => void; refused: (error: Error) => void }>();
  private readonly listeners = new Set<(progress: Progress) => void>();
  private number = 0;

  constructor(readonly about: About) {
    const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
    this.worker = new Worker(address);
  }

  /** Hands the page's data over; returns when questions can be asked. */
  load(chains: string[][], rest: string[]): Promise<number> {
    return new Promise((loaded, failed) => {
      this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ("loaded" in data) {
          performance.mark("loaded");
          loaded(data.loaded);
        }
        else if ("failed" in data) failed(new Error(data.failed));
        else this.heard(data);
      };
      this.worker.onerror = (event) => failed(new Error(event.message));
      this.say({ load: { about: this.about, chains, rest } });
    });
  }

  ask<Name extends Question>(ask: Name, ...given: Given<Name>): Promise<Answer<Name>> {
    const number = ++this.number;
    return new Promise((answered, refused) => {
      this.open.set(number, { answered, refused });
      this.say({ ask, given, number });
    });
  }

  /** Verifies again with a key that the reader has from the owner. */
  verifyAgainst(vkey: string): void {
    this.say({ vkey });
  }

  /** Calls `listener` now and with each news of the verification; returns what ends that. */
  follow(listener: (progress: Progress) => void): () => void {
    this.listeners.add(listener);
    listener(this.progress);
    return () => this.listeners.delete(listener);
  }

  /** Makes all listeners redraw. */
  tellAgain(): void {
    this.news(this.progress);
  }

  private say(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private heard(data: FromWorker): void {
    if ("answer" in data || "refused" in data) {
      const waiting = this.open.get(data.number);
      this.open.delete(data.number);
      if ("answer" in data) waiting?.answered(data.answer);
      else waiting?.refused(new Error(data.refused));
    } else if ("progress" in data) this.news({ ...data.progress, verdict: null, unusable: "" });
    else if ("verdict" in data) {
      performance.mark("judged");
      this.news({ ...this.progress, verdict: data.verdict });
    }
    else if ("unusable" in data) this.news({ ...this.progress, unusable: data.unusable });
  }

  private news(progress: Progress): void {
    this.progress = progress;
    for (const listener of this.listeners) listener(progress);
  }
}

// What is wrong with something: the code and rule of specs/verification.md (V-2), and a sentence for people.

/** One fault. Functions return it in place of what they were asked for. */
export class Fault {
  constructor(
    readonly code: string,
    readonly rule: string,
    readonly message: string,
  ) {}
}

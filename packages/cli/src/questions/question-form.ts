import {
  expectation,
  type JsonObject,
  type Question,
  type QuestionField,
  readField,
  visibleLine,
} from '@longhaul/protocol';

/** Asks for the values of a question, one field after another. */
export class QuestionForm {
  readonly #question: Question;
  readonly #content: JsonObject = {};
  #next = 0;
  #isAgreed = false;

  constructor(question: Question) {
    this.#question = question;
  }

  /** What a person can type now. */
  get prompt(): string {
    const field = this.#field;
    return field === undefined ? 'Type y to agree:' : fieldPrompt(field);
  }

  /** The values, if all are given. */
  get content(): JsonObject | undefined {
    const { fields } = this.#question;
    const isDone = fields.length === 0 ? this.#isAgreed : this.#next >= fields.length;
    return isDone ? this.#content : undefined;
  }

  /** Takes a line. Returns what is wrong with it. */
  take(line: string): string | undefined {
    const field = this.#field;
    if (field === undefined) {
      this.#isAgreed = /^\s*(?:y|yes)\s*$/i.test(line);
      return this.#isAgreed ? undefined : 'Type y, or decline.';
    }
    const read = readField(field, line);
    if (!read.ok) return visibleLine(read.reason);
    Object.assign(this.#content, read.content);
    this.#next += 1;
    return undefined;
  }

  get #field(): QuestionField | undefined {
    return this.#question.fields[this.#next];
  }
}

function fieldPrompt(field: QuestionField): string {
  const { label, isRequired, initial } = field;
  const empty =
    initial !== undefined
      ? `; only Enter: ${typeof initial === 'string' ? initial : JSON.stringify(initial)}`
      : isRequired
        ? ''
        : '; only Enter: no value';
  return visibleLine(`${label} (${expectation(field)}${empty}):`);
}

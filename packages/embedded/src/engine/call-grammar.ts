import type { GrammarState, Llama, LlamaLibrary, LlamaModel } from '../library/llama-types.ts';

const OPEN = '<tool_call>';

const JSON_RULES = String.raw`
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
value ::= object | array | string | number | ("true" | "false" | "null") ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws ::= [ \n]{0,8}
`;

/** The grammar of a call: one of these names, and any JSON object. It ends with the last brace of the call. */
function callGrammar(names: readonly string[]): string {
  const choices = names.map((name) => JSON.stringify(JSON.stringify(name))).join(' | ');
  return `root ::= ws "{" ws "\\"name\\"" ws ":" ws (${choices}) ws "," ws "\\"arguments\\"" ws ":" ws object "}"${JSON_RULES}`;
}

/** Follows an answer, and says which grammar its next token must obey. */
export class CallGuide {
  readonly #start: () => GrammarState;
  #state: GrammarState | undefined;
  /** The text since the call began. */
  #call = '';
  /** The end of the text before it. */
  #tail = '';

  constructor(
    library: LlamaLibrary,
    { llama, model }: { llama: Llama; model: LlamaModel },
    names: readonly string[],
  ) {
    this.#start = () => {
      const grammar = new library.LlamaGrammar(llama, { grammar: callGrammar(names) });
      return new library.LlamaGrammarEvaluationState({ model, grammar });
    };
  }

  get state(): GrammarState | undefined {
    return this.#state;
  }

  /** Takes the text of the next token. */
  push(text: string): void {
    if (this.#state !== undefined) {
      this.#call += text;
      if (isWhole(this.#call)) this.#state = undefined;
      return;
    }
    this.#tail = (this.#tail + text).slice(-2 * OPEN.length);
    if (!this.#tail.endsWith(OPEN)) return;
    this.#tail = '';
    this.#call = '';
    this.#state = this.#start();
  }
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The call has not ended yet.
    return false;
  }
}

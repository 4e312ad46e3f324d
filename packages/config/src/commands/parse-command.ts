import { LonghaulError } from '@longhaul/protocol';

export interface ParsedCommand {
  /** What follows the name. Empty: nothing. */
  hint: string;
  description: string;
  /**
   * Returns the message that the command sends.
   *
   * @throws {LonghaulError} `usage` if it takes no words.
   */
  expand: (words: string) => string;
}

const MAX_BYTES = 64 * 1024;
const MAX_DESCRIPTION_CHARS = 80;

/** Parses the file of a command: its text is sent with `$ARGUMENTS` replaced by the words after the name. */
export function parseCommand(bytes: Uint8Array, name: string): ParsedCommand | { problem: string } {
  if (bytes.length > MAX_BYTES)
    return { problem: `has ${bytes.length} bytes; a command can have at most ${MAX_BYTES}` };
  const { body, facts } = withoutFrontMatter(new TextDecoder().decode(bytes));
  const takesWords = body.includes('$ARGUMENTS');
  const [firstLine = ''] = body.trim().split('\n');
  return {
    hint: facts.get('argument-hint') ?? (takesWords ? 'WORDS' : ''),
    description: facts.get('description') ?? firstLine.slice(0, MAX_DESCRIPTION_CHARS),
    expand(words) {
      if (words !== '' && !takesWords)
        throw new LonghaulError('usage', `/${name} takes no words: its file has no $ARGUMENTS.`);
      return body.replaceAll('$ARGUMENTS', () => words).trim();
    },
  };
}

/** Reads `name: value` lines between two lines `---` at the beginning. */
function withoutFrontMatter(text: string): { body: string; facts: Map<string, string> } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  if (match === null) return { body: text, facts: new Map() };
  const facts = (match[1] ?? '').split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.replace(/^["']|["']$/g, '')]];
  });
  return { body: text.slice(match[0].length), facts: new Map(facts) };
}

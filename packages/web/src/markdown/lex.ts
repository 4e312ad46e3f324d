import { Lexer, type Token, type Tokens } from 'marked';

/** Text of a block that is shown as it is written. */
export interface RawBlock {
  type: 'raw';
  raw: string;
}

/** Links that are defined anywhere in a text (`[name]: address`). */
export type LinkDefinitions = Lexer['tokens']['links'];

/** Longer lines of text are shown as they are written: prose is shorter, and reading marks can take seconds. */
const MAX_INLINE_CHARS = 8_000;
const MAX_INLINE_MARKS = 400;
const MAX_PIECE_CHARS = 2_000;
/** Many marks of quotes and lists at the beginning of a line. The lexer calls itself for each. */
const TOO_DEEP = /^(?: {0,3}(?:>|[-*+](?= )|\d{1,9}[.)](?= )) {0,3}){16}/m;

/** What is inside the lines of a block, until it is shown. */
const unread = new WeakMap<readonly Token[], { text: string; lexer: Lexer }>();

/**
 * Reads the blocks of a text. What is inside their lines is read by `inlineOf`, because that takes most of the time and
 * only shown blocks need it.
 */
export function readBlocks(text: string, links: LinkDefinitions): (Token | RawBlock)[] {
  if (TOO_DEEP.test(text)) return [rawBlock(text)];
  const lexer = new Lexer({ gfm: true });
  lexer.tokens.links = links;
  try {
    lexer.blockTokens(text, lexer.tokens);
  } catch (error) {
    console.warn('This Markdown is shown as plain text:', error);
    return [rawBlock(text)];
  }
  for (const { src, tokens } of lexer.inlineQueue) unread.set(tokens, { text: src, lexer });
  return [...lexer.tokens];
}

/** Returns the tokens inside a line of a block. */
export function inlineOf(tokens: readonly Token[]): readonly Token[] {
  const line = unread.get(tokens);
  if (line === undefined) return tokens;
  unread.delete(tokens);
  readInline(line.text, { lexer: line.lexer, tokens: tokens as Token[] });
  return tokens;
}

export function rawBlock(raw: string): RawBlock {
  return { type: 'raw', raw };
}

function readInline(text: string, { lexer, tokens }: { lexer: Lexer; tokens: Token[] }): void {
  if (text.length > MAX_INLINE_CHARS) {
    tokens.push(plainText(text));
    return;
  }
  for (const piece of piecesOf(text)) {
    const marks = piece.match(/[*_~[\]`<]/g)?.length ?? 0;
    if (marks > MAX_INLINE_MARKS) tokens.push(plainText(piece));
    else lexer.inlineTokens(piece, tokens);
  }
}

/** A long text in pieces that end with a line, because the time for one grows with the square of its length. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_PIECE_CHARS) {
    const end = rest.lastIndexOf('\n', MAX_PIECE_CHARS) + 1;
    if (end === 0) break;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

function plainText(text: string): Tokens.Text {
  return { type: 'text', raw: text, text, escaped: false };
}

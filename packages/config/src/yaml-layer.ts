import { LonghaulError } from '@longhaul/protocol';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { ConfigLayer, ConfigPath } from './config-layer.ts';

/**
 * Parses the text of a file.
 *
 * @throws {LonghaulError} `config_invalid` with line and column of the first mistake.
 */
export function parseYamlLayer(name: string, text: string): ConfigLayer {
  const lines = new LineCounter();
  const tooDeep = offsetOfDeepNesting(text);
  if (tooDeep !== undefined)
    throw invalidYaml(name, placeIn(text, tooDeep), `it is nested more than ${MAX_DEPTH} levels deep`);
  // The parser's own check compares each key with all keys before it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error) throw invalidYaml(name, position(lines, error.pos[0]), error.message);
  const repeated = offsetOfRepeatedKey(document);
  if (repeated !== undefined) throw invalidYaml(name, position(lines, repeated), 'Map keys must be unique');
  return {
    name,
    value: toValue(name, document) ?? {},
    locate: (path, { key }) => {
      const offset = offsetOf(document, path, key);
      return offset === undefined ? undefined : position(lines, offset);
    },
  };
}

const MAX_DEPTH = 50;

/** The parser needs exponential time for some nested text, and its stack is limited. */
function offsetOfDeepNesting(text: string): number | undefined {
  let offset = 0;
  let brackets = 0;
  /** Of one line: `- - a` and `? ? a` are nested too. */
  let indicators = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (token === '-' || token === '?') indicators += 1;
    else if (token.includes('\n')) indicators = 0;
    if (brackets > MAX_DEPTH || indicators > MAX_DEPTH) return offset;
    if (!MARKS.has(token)) offset += token.length;
  }
  return undefined;
}

/** Tokens of the lexer that are not in the text: start of a document, of flow in a block, and of a scalar. */
const MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f']);

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function offsetOfRepeatedKey(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          found = startOf(key) ?? 0;
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

function toValue(name: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias to nothing, or nested aliases that would fill the memory.
    throw invalidYaml(name, '1:1', error instanceof Error ? error.message : String(error));
  }
}

function invalidYaml(name: string, place: string, reason: string): LonghaulError {
  const text = reason.replace(/\.$/, '');
  return new LonghaulError('config_invalid', `${name}:${place}: this is not valid YAML: ${text}.`);
}

function position(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}`;
}

/** Returns the offset of the value or key at `path`, or of the innermost existing part of the path. */
function offsetOf(document: Document, path: ConfigPath, atKey: boolean): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? startOf(node) : undefined;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!isPair(pair) || !isNode(pair.key)) return offset;
      node = pair.value;
      const place = isNode(node) && !(isLast && atKey) ? startOf(node) : startOf(pair.key);
      offset = place ?? offset;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isNode(node)) return offset;
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: Node): number | undefined {
  return node.range?.[0];
}

import { LonghaulError } from '@longhaul/protocol';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import type { ConfigLayer, ConfigPath } from './config-layer.ts';

/**
 * Parses the text of a file.
 *
 * @throws {LonghaulError} `config_invalid` with line and column of the first mistake.
 */
export function parseYamlLayer(name: string, text: string): ConfigLayer {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw invalidYaml(name, position(lines, error.pos[0]), error.message);
  return {
    name,
    value: toValue(name, document) ?? {},
    locate: (path, { key }) => {
      const offset = offsetOf(document, path, key);
      return offset === undefined ? undefined : position(lines, offset);
    },
  };
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

import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { createChatMessagesImporter, isChatMessage } from './chat-messages.ts';
import { createClaudeCodeImporter, isClaudeCodeRow } from './claude-code.ts';
import { createCodexImporter, isCodexRow } from './codex.ts';
import type { CreateImporter } from './importer.ts';
import { isObject, textAt } from './json-fields.ts';
import { createLonghaulImporter, isLonghaulMessage } from './longhaul.ts';
import { createMiniSweAgentImporter, isMiniSweAgent } from './mini-swe-agent.ts';
import { createOpencodeImporter, isOpencodeMessage } from './opencode.ts';
import { createOpenHandsImporter, isOpenHandsEvent } from './openhands.ts';
import { parseObjects, tryParse } from './parse-objects.ts';
import { createPiImporter, isPiRow } from './pi.ts';
import { createSweAgentImporter, isSweAgentEntry } from './swe-agent.ts';

/** The importer for a row of a JSONL file, or undefined when it is of no known format. */
export function importerOfRow(row: JsonObject): CreateImporter | undefined {
  if (isClaudeCodeRow(row)) return createClaudeCodeImporter;
  if (isCodexRow(row)) return createCodexImporter;
  if (isPiRow(row)) return createPiImporter;
  if (isChatMessage(row)) return createChatMessagesImporter;
  return undefined;
}

/** The importer for a document, by an element of its list and by the fields before it; `later` when the next elements must tell. */
export function importerOfElement(
  element: JsonObject,
  list: string,
  fields: ReadonlyMap<string, JsonValue>,
): CreateImporter | 'later' | undefined {
  if (isOpencodeMessage(element)) return createOpencodeImporter;
  if (isLonghaulMessage(element, fields)) return createLonghaulImporter;
  if (isSweAgentEntry(element, list)) return createSweAgentImporter;
  if (isOpenHandsEvent(element)) return createOpenHandsImporter;
  if (isMiniSweAgent(element, fields)) return createMiniSweAgentImporter;
  if (!isChatMessage(element)) return undefined;
  // The first messages of mini-swe-agent look like any chat's.
  return /^(?:system|user)$/.test(textAt(element, 'role') ?? '') ? 'later' : createChatMessagesImporter;
}

/** A damaged document can hold what looks like a chat message of its own, but not the rows of an agent. */
function isKnownLine(line: string): boolean {
  const value = tryParse(line);
  if (isObject(value)) return importerOfRow(value) !== undefined;
  const importers = parseObjects(line).objects.map(importerOfRow);
  return importers.some((importer) => importer !== undefined && importer !== createChatMessagesImporter);
}

/** Lines that are looked at: one of them is whole and known, or the file is no JSONL. */
const MAX_CANDIDATES = 100;

/**
 * Whether a file is read line by line, by how it begins. A document may also stand in one line; its rows then are of no known format.
 */
export function isReadByLines(head: string): boolean {
  const start = head.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return true;
  const lines = head.split('\n');
  // The last one may not be whole; the inner lines of a document are indented.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const candidates = whole.filter((line) => line.startsWith('{')).slice(0, MAX_CANDIDATES);
  if (candidates.some(isKnownLine)) return true;
  // A row longer than what is looked at. What can be parsed is a document, for its row would be known.
  return (
    lines.length === 1 &&
    tryParse(head) === undefined &&
    /^\{\s*"(?:parentUuid|type|uuid|timestamp)"/.test(start)
  );
}

import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { createAiderImporter, isAiderHistory } from './aider.ts';
import { createAtifImporter, isAtifStep } from './atif.ts';
import { createChatMessagesImporter, isChatMessage } from './chat-messages.ts';
import { createClaudeCodeImporter, isClaudeCodeRow } from './claude-code.ts';
import { createCodexImporter, isCodexRow } from './codex.ts';
import { createCodexExecImporter, isCodexExecRow } from './codex-exec.ts';
import { createCopilotImporter, isCopilotRow } from './copilot.ts';
import { createGeminiImporter, isGeminiMessage, isGeminiRow } from './gemini-cli.ts';
import { createGeminiStreamImporter, isGeminiStreamRow } from './gemini-stream.ts';
import type { CreateImporter } from './importer.ts';
import { textAt } from './json-fields.ts';
import { createLonghaulImporter, isLonghaulMessage } from './longhaul.ts';
import { createMiniSweAgentImporter, isMiniSweAgent } from './mini-swe-agent.ts';
import { createOpencodeImporter, isOpencodeMessage } from './opencode.ts';
import { createOpenHandsImporter, isOpenHandsEvent } from './openhands.ts';
import { parseObjects } from './parse-objects.ts';
import { createPiImporter, isPiRow } from './pi.ts';
import { createSpecStoryImporter, isSpecStory } from './specstory.ts';
import { createSweAgentImporter, isSweAgentEntry } from './swe-agent.ts';
import type { CreateTextImporter } from './text-importer.ts';

/** Returns the importer for a row of a JSONL file, or undefined if its format is unknown. */
export function importerOfRow(row: JsonObject): CreateImporter | undefined {
  if (isClaudeCodeRow(row)) return createClaudeCodeImporter;
  if (isCodexRow(row)) return createCodexImporter;
  if (isCodexExecRow(row)) return createCodexExecImporter;
  if (isPiRow(row)) return createPiImporter;
  if (isCopilotRow(row)) return createCopilotImporter;
  if (isGeminiRow(row)) return createGeminiImporter;
  if (isGeminiStreamRow(row)) return createGeminiStreamImporter;
  if (isChatMessage(row)) return createChatMessagesImporter;
  return undefined;
}

/**
 * Returns the importer for a document, by an element of its list and the fields before it, or `later` if the next
 * elements decide.
 */
export function importerOfElement(
  element: JsonObject,
  list: string,
  fields: ReadonlyMap<string, JsonValue>,
): CreateImporter | 'later' | undefined {
  if (isOpencodeMessage(element)) return createOpencodeImporter;
  if (isLonghaulMessage(element, fields)) return createLonghaulImporter;
  if (isGeminiMessage(element, fields)) return createGeminiImporter;
  if (isAtifStep(element, list)) return createAtifImporter;
  if (isSweAgentEntry(element, list)) return createSweAgentImporter;
  if (isOpenHandsEvent(element)) return createOpenHandsImporter;
  if (isMiniSweAgent(element, fields)) return createMiniSweAgentImporter;
  if (!isChatMessage(element)) return undefined;
  // The first messages of mini-swe-agent look like those of any chat.
  return /^(?:system|user)$/.test(textAt(element, 'role') ?? '') ? 'later' : createChatMessagesImporter;
}

/** Returns the importer for a session in Markdown, or undefined for other files. */
export function textImporterOf(head: string): CreateTextImporter | undefined {
  if (/^\s*[{[]/.test(head)) return undefined;
  if (isAiderHistory(head)) return createAiderImporter;
  return isSpecStory(head) ? createSpecStoryImporter : undefined;
}

/**
 * Chat messages do not count in a damaged line: an element of a damaged document can look like one, but not like a row
 * of an agent.
 */
function isKnownLine(line: string): boolean {
  const value = parseJson(line);
  if (isObject(value)) return importerOfRow(value) !== undefined;
  const importers = parseObjects(line).objects.map(importerOfRow);
  return importers.some((importer) => importer !== undefined && importer !== createChatMessagesImporter);
}

/** Number of lines to check. If none of them is complete and of a known format, the file is not JSONL. */
const MAX_CANDIDATES = 100;

/**
 * Decides from the start of a file whether it is read line by line. A document in one line is not: as a row, its format
 * is unknown.
 */
export function isReadByLines(head: string): boolean {
  const start = head.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return true;
  const lines = head.split('\n');
  // The last line can be incomplete. The inner lines of a document are indented.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const candidates = whole.filter((line) => line.startsWith('{')).slice(0, MAX_CANDIDATES);
  if (candidates.some(isKnownLine)) return true;
  // The first row can be longer than `head`. A head that can be parsed is a document, because a row would be known.
  return (
    lines.length === 1 &&
    parseJson(head) === undefined &&
    /^\{\s*"(?:parentUuid|type|uuid|timestamp)"/.test(start)
  );
}

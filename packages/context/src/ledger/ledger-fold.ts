import { handleOf, isBlank, type Message, type TextPart } from '@longhaul/protocol';
import { isUserMessage } from '../log.ts';
import { ownCopy } from '../own-copy.ts';
import { sessionSummary } from '../session-summary.ts';
import { answeredQuestion, SAID_CHARS } from './answered-question.ts';
import { deliveredTasks, endedInBackground } from './background-facts.ts';
import { addToolCall } from './call-facts.ts';
import { addDone } from './command-facts.ts';
import { addPatch } from './file-facts.ts';
import { instructionIn } from './instruction-text.ts';
import type { LedgerFold } from './ledger-facts.ts';
import { addNames } from './name-index.ts';
import { oneLine } from './one-line.ts';

/** Adds the session's next message to the fold. */
export function foldMessage(facts: LedgerFold, message: Message): void {
  const { sequence } = message;
  const isUser = isUserMessage(message);
  if (isUser) addInstruction(facts, message);
  for (const handle of endedInBackground(message)) facts.background.delete(handle);
  for (const handle of deliveredTasks(message)) facts.tasks.delete(handle);
  for (const [index, part] of message.parts.entries()) {
    if (part.type === 'tool') addToolCall(facts, part, sequence, index);
    else if (part.type === 'patch') addPatch(facts, part, sequence);
    else if (part.type === 'text') {
      addNames(facts.names, part.text, { source: isUser ? 'users' : 'texts', sequence });
      if (message.role === 'assistant' && !isBlank(part.text)) addSaid(facts, part.text, sequence);
    }
  }
}

/** The beginning of a text in which its first sentences are looked for. */
const NOTE_SOURCE_CHARS = 1_000;
const NOTE_CHARS = 200;

function addSaid(facts: LedgerFold, text: string, sequence: number): void {
  facts.said = {
    handle: handleOf(sequence),
    sequence,
    end: ownCopy(text.slice(-SAID_CHARS)),
    beginning: ownCopy(text.slice(0, NOTE_SOURCE_CHARS)),
  };
}

function addInstruction(facts: LedgerFold, message: Message): void {
  const written = message.parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const text = instructionIn(written);
  if (isBlank(text)) return;
  addNote(facts);
  const answers = facts.said === undefined ? undefined : answeredQuestion(facts.said.end, text);
  const fact = { messageId: message.id, text, handle: handleOf(message.sequence) };
  facts.instructions.push(answers === undefined ? fact : { ...fact, answers: ownCopy(answers) });
  facts.turnStart = message.sequence;
  facts.said = undefined;
}

/** What the model said after the last change of a turn tells what it did. */
function addNote(facts: LedgerFold): void {
  const { said, lastChange, turnStart } = facts;
  if (said === undefined || lastChange <= turnStart || said.sequence <= lastChange) return;
  const text = noteOf(said.beginning);
  // `Now I run the tests:` announces a call that the user stopped.
  if (text !== '' && !text.endsWith(':'))
    addDone(facts, { handle: said.handle, sequence: said.sequence, kind: 'note', text });
}

/** Returns the first sentences of what the model said, on one line. */
export function noteOf(beginning: string): string {
  return ownCopy(oneLine(sessionSummary({ text: beginning, files: [] }) ?? '', NOTE_CHARS));
}

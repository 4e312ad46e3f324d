import { handleOf, isBlank, type Message, type TextPart } from '@longhaul/protocol';
import { isUserMessage } from '../log.ts';
import { ownCopy } from '../own-copy.ts';
import { answeredQuestion, SAID_CHARS } from './answered-question.ts';
import { deliveredTasks, endedInBackground } from './background-facts.ts';
import { addToolCall } from './call-facts.ts';
import { addDone } from './command-facts.ts';
import { isCheck } from './command-work.ts';
import { addPatch } from './file-facts.ts';
import { instructionIn, isReviewPrompt } from './instruction-text.ts';
import type { LedgerFold } from './ledger-facts.ts';
import { addNames } from './name-index.ts';
import { oneLine } from './one-line.ts';
import { NOTHING_RAN } from './piped-outcome.ts';
import { saidIn } from './said-note.ts';

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
      if (message.role === 'assistant' && !isBlank(part.text)) addSaid(facts, part.text, message);
    }
  }
}

/** A shorter text, such as `All tests pass.`, says too little of the work. */
const MIN_REPORT_CHARS = 40;

function addSaid(facts: LedgerFold, text: string, { sequence, parts }: Message): void {
  facts.said = ownCopy(text.slice(-SAID_CHARS));
  const { note, intent } = saidIn(text);
  const handle = handleOf(sequence);
  facts.intent = intent === '' ? undefined : { handle, sequence, text: intent };
  if (NOT_RUN.test(note)) unverify(facts, sequence);
  if (note.length >= MIN_REPORT_CHARS) {
    const endsTurn = parts.every(({ type }) => type !== 'tool');
    facts.report = { handle, sequence, text: note, endsTurn };
  }
}

const NOT_RUN =
  /\b(?:no (?:\w+ )?tests? (?:were |was )?|(?:not|never|n['’]t) (?:actually )?)(?:run|ran|executed?)\b/i;

/** The model says of the check in the step before that it did not run. */
function unverify({ commands }: LedgerFold, sequence: number): void {
  const check = [...commands.values()].findLast(({ program }) => isCheck(program));
  if (check === undefined || check.lastSequence < sequence - 2) return;
  check.exitCode = undefined;
  check.ended = NOTHING_RAN;
}

function addInstruction(facts: LedgerFold, message: Message): void {
  const written = message.parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const text = instructionIn(written);
  // As the task of the session, a review is what the session is for.
  if (isBlank(text) || (facts.instructions.length > 0 && isReviewPrompt(text))) return;
  addNote(facts);
  const answers = facts.said === undefined ? undefined : answeredQuestion(facts.said, text);
  const fact = { messageId: message.id, text, handle: handleOf(message.sequence) };
  facts.instructions.push(answers === undefined ? fact : { ...fact, answers: ownCopy(answers) });
  facts.turnStart = message.sequence;
  facts.said = undefined;
  facts.intent = undefined;
}

const NOTE_CHARS = 200;

/** What the model reports after the last change of a turn tells what it did. */
function addNote(facts: LedgerFold): void {
  const { report, lastChange, turnStart } = facts;
  if (report === undefined || lastChange <= turnStart || report.sequence <= lastChange) return;
  const { handle, sequence, text } = report;
  addDone(facts, { handle, sequence, kind: 'note', text: ownCopy(oneLine(text, NOTE_CHARS)) });
}

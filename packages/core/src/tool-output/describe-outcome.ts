import { cutMiddle } from '@longhaul/context/engine';
import type { OwnFiles, SubtaskOutcome } from '../ports/subtasks.ts';
import { plural } from './display.ts';

/** The rest is in the child's log. */
const MAX_TEXT_CHARS = 8_000;
const MAX_FACTS = 40;
const MAX_FACT_CHARS = 200;

/** Returns what the parent's model reads of a child that has ended: its answer, then facts, then where the rest is. */
export function describeOutcome(
  { facts, text, problem, files, failedCommands, ownFiles }: SubtaskOutcome,
  handle: string,
): string {
  const answer = cutMiddle(text.trim(), MAX_TEXT_CHARS).text;
  return [
    ...(problem === undefined ? [] : [`[The task did not complete: ${problem}\n${afterProblem(answer)}]`]),
    ...(answer === '' && problem === undefined ? ['[It gave no answer.]'] : []),
    ...(answer === '' ? [] : [answer]),
    ...(ownFiles === undefined ? list('Files changed', files) : ownText(ownFiles, handle)),
    ...list('Commands that failed at their last run', failedCommands),
    `[${plural(facts.steps ?? 0, 'step')} by ${facts.agent}. To search its log: recall with a query and handle "${handle}".]`,
  ].join('\n');
}

/** On a line of its own: a problem can end with a command. */
function afterProblem(answer: string): string {
  return answer === '' ? 'It gave no answer.' : 'What follows is its last text.';
}

function ownText({ isChanged, text }: OwnFiles, handle: string): string[] {
  if (!isChanged) return ['', '[It worked in a copy of the files, and changed none.]'];
  const heading = `Changed in its copy of the files, not here. To take it, call task with merge "${handle}"; to drop it, with discard "${handle}".`;
  return ['', heading, text.trimEnd()];
}

function list(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_FACTS).map((line) => `- ${cutMiddle(line, MAX_FACT_CHARS).text}`);
  const more = lines.length > MAX_FACTS ? [`- and ${lines.length - MAX_FACTS} more`] : [];
  return ['', `${heading}:`, ...shown, ...more];
}

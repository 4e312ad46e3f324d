import type { Message } from '@longhaul/protocol';
import type { PreparedSession } from '@longhaul/replay';
import type { Stretch } from './stretches.ts';

/** The most that a child's answer may have in the view of its parent. */
const MAX_ANSWER_CHARS = 8_000;

export interface ChildAnswer {
  readonly text: string;
  /** Names that the stretch shows and later steps use. */
  readonly names: number;
  /** Names for which the answer had no room. */
  readonly lostNames: number;
}

/**
 * What a child would answer: the text with which the recorded session continued, then every name of the stretch that a
 * later step uses, below the file that it came from. A real child does not know which names will be needed.
 */
export function childAnswer(prepared: PreparedSession, stretch: Stretch): ChildAnswer {
  const said = textAfter(prepared.session.messages, stretch).slice(0, MAX_ANSWER_CHARS);
  const names = namesUsedLater(prepared, stretch);
  const lines = [said];
  let chars = said.length;
  let named = 0;
  for (const [file, here] of byFile(names)) {
    const line = file === '' ? here.join(', ') : `${file}: ${here.join(', ')}`;
    if (chars + line.length + 1 > MAX_ANSWER_CHARS) continue;
    chars += line.length + 1;
    named += here.length;
    lines.push(line);
  }
  return { text: lines.join('\n'), names: names.length, lostNames: names.length - named };
}

function textAfter(messages: readonly Message[], { last }: Stretch): string {
  const next = messages[last + 1];
  if (next?.role !== 'assistant') return '';
  return next.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

interface Name {
  readonly text: string;
  readonly file: string;
}

function namesUsedLater({ session, facts, finder }: PreparedSession, { first, last }: Stretch): Name[] {
  const shown = new Set(
    session.events
      .filter(({ messageIndex }) => messageIndex >= first && messageIndex <= last)
      .flatMap((event) => finder.shownIn(event).facts),
  );
  const used = new Set(
    session.steps.flatMap(({ messageIndex }, step) =>
      messageIndex > last ? (facts.needs[step] ?? []).map(({ fact }) => fact) : [],
    ),
  );
  return [...used]
    .filter((fact) => shown.has(fact))
    .flatMap((number) => {
      const fact = facts.facts[number];
      return fact === undefined ? [] : [{ text: fact.text, file: fact.file ?? '' }];
    });
}

/** Names in the order of their first use, each on a line of at most ten names of its file. */
function byFile(names: readonly Name[]): [file: string, names: string[]][] {
  const lines: [string, string[]][] = [];
  for (const { text, file } of names) {
    const open = lines.findLast(([of, here]) => of === file && here.length < NAMES_PER_LINE);
    if (open === undefined) lines.push([file, [text]]);
    else open[1].push(text);
  }
  return lines;
}

const NAMES_PER_LINE = 10;

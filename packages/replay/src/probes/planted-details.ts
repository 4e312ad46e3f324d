import type { Message, Part, ToolPart } from '@longhaul/protocol';

export const PROBE_KINDS = ['decision', 'constraint', 'file', 'error'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** A detail that is planted into a session. Its messages are added at places in their order. */
export interface Detail {
  readonly kind: ProbeKind;
  readonly question: string;
  /** A view answers the question if one of its texts contains all of these near each other. */
  readonly answer: readonly string[];
  /** The later ones replace what the earlier ones say. */
  readonly messages: readonly PlantedMessage[];
}

export type PlantedMessage = Pick<Message, 'role' | 'parts'>;

const WORDS =
  'amber birch cedar delta ember fjord grove heron iris jade kelp lunar maple north ochre pearl quartz river'.split(
    ' ',
  );
const THINGS =
  'anchor bridge canyon dome engine ferry garden harbor island jetty kiln ladder meadow needle orbit prism'.split(
    ' ',
  );

/**
 * Returns the details for a session: three of each kind. Of each kind, the second replaces an earlier state, so that only
 * the newer one is right. The same number gives the same names, and they are no names of real projects.
 */
export function detailsFor(number: number): Detail[] {
  return [0, 1, 2].flatMap((round) => {
    const name = (offset: number) => nameOf(number * 31 + round * 7 + offset);
    const isReplaced = round === 1;
    return [
      decision(name, isReplaced),
      constraint(name, isReplaced),
      file(name, isReplaced),
      failure(name, isReplaced),
    ];
  });
}

type Name = (offset: number) => string;

function nameOf(seed: number): string {
  const word = WORDS[seed % WORDS.length];
  const thing = THINGS[Math.floor(seed / WORDS.length + seed) % THINGS.length];
  return `${word}-${thing}-${100 + ((seed * 37) % 900)}`;
}

function decision(name: Name, isReplaced: boolean): Detail {
  const topic = name(0);
  const old = user(`We decided: the data of ${topic} goes into the store ${name(1)}.`);
  const now = user(`We changed our mind: the data of ${topic} goes into the store ${name(2)}.`);
  return {
    kind: 'decision',
    question: `Into which store does the data of ${topic} go?`,
    answer: [topic, isReplaced ? name(2) : name(1)],
    messages: isReplaced ? [old, now] : [old],
  };
}

function constraint(name: Name, isReplaced: boolean): Detail {
  const rule = (folder: string) =>
    user(`A rule for all of this work: never change a file below vendor/${folder}.`);
  const other = user(
    `The rule about vendor/${name(3)} does not hold any more. Never change a file below vendor/${name(4)}.`,
  );
  return {
    kind: 'constraint',
    question: 'Below which folder of vendor must no file be changed?',
    answer: [`vendor/${isReplaced ? name(4) : name(3)}`],
    messages: isReplaced ? [rule(name(3)), other] : [rule(name(3))],
  };
}

function file(name: Name, isReplaced: boolean): Detail {
  const path = `src/planted/${name(5)}.ts`;
  const edit = (offset: number, id: string) =>
    call(id, 'edit', {
      input: { path, old_string: '', new_string: `export function ${symbolOf(name(offset))}(): void {}\n` },
      output: `Changed ${path}.`,
    });
  const offset = isReplaced ? 7 : 6;
  return {
    kind: 'file',
    question: `Which function did ${path} get last?`,
    answer: [`${name(5)}.ts`, symbolOf(name(offset))],
    messages: isReplaced ? [edit(6, 'first'), edit(7, 'second')] : [edit(6, 'first')],
  };
}

function failure(name: Name, isReplaced: boolean): Detail {
  const test = `test/planted/${name(8)}.test.ts`;
  const run = (offset: number, id: string) =>
    call(id, 'bash', {
      input: { command: `npm test -- ${test}` },
      output: `FAIL ${test}\nError: the reply of ${name(offset)} is missing\n1 failed`,
      isError: true,
    });
  const offset = isReplaced ? 10 : 9;
  return {
    kind: 'error',
    question: `How does ${test} fail now?`,
    answer: [`${name(8)}.test.ts`, name(offset)],
    messages: isReplaced ? [run(9, 'first'), run(10, 'second')] : [run(9, 'first')],
  };
}

function symbolOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function user(text: string): PlantedMessage {
  return { role: 'user', parts: [{ type: 'text', text, state: 'done' }] };
}

function call(
  id: string,
  name: string,
  facts: { input: ToolPart['input']; output: string; isError?: boolean },
): PlantedMessage {
  const { input, output, isError = false } = facts;
  const part: Part = {
    type: 'tool',
    callId: `planted-${name}-${id}`,
    name,
    input,
    state: isError ? 'error' : 'completed',
    output: [{ type: 'text', text: output }],
    ...(isError && { error: output }),
  };
  return { role: 'assistant', parts: [part] };
}

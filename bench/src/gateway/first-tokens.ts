import { addressOf, SIDE_NAMES, type SideName, type Sides } from './sides.ts';
import { timeToFirstToken, withAgent } from './timed-request.ts';
import { measureWork, type Work } from './work-of.ts';

const FIRST_TOKENS = 150;
const LARGE_ROUNDS = 15;
/** These rounds are not counted: they open connections, load a vocabulary and warm up the code. */
const WARM_UP = 5;

export interface FirstTokens {
  /** Milliseconds of each round. */
  ms: Record<SideName, number[]>;
  work: Work;
}

export function firstTokens(sides: Sides): Promise<FirstTokens> {
  const body = sides.way.body(['Hi']);
  return inTurns(sides, { body: () => body, rounds: FIRST_TOKENS });
}

/** Sends a conversation of one megabyte that grows by one turn per round. */
export function largeRequests(sides: Sides): Promise<FirstTokens> {
  const texts = Array.from(
    { length: 400 },
    (_, index) => `Message ${index}: ${'some words of a long conversation, '.repeat(72)}`,
  );
  const body = (round: number) => {
    const more = Array.from({ length: round * 2 }, (_, index) => `More ${index}`);
    return sides.way.body([...texts, ...more, 'And?']);
  };
  return inTurns(sides, { body, rounds: LARGE_ROUNDS });
}

function inTurns(
  sides: Sides,
  { body, rounds }: { body: (round: number) => string; rounds: number },
): Promise<FirstTokens> {
  const ms: FirstTokens['ms'] = { directly: [], 'plain proxy': [], gateway: [] };
  return withAgent(async (agent) => {
    const run = async (round: number) => {
      for (const side of SIDE_NAMES) {
        const took = await timeToFirstToken({ url: addressOf(sides, side), body: body(round), agent });
        if (round >= WARM_UP) ms[side].push(took);
      }
    };
    for (let round = 0; round < WARM_UP; round += 1) await run(round);
    const workOf = await measureWork(sides);
    for (let round = WARM_UP; round < WARM_UP + rounds; round += 1) await run(round);
    return { ms, work: await workOf(rounds) };
  });
}

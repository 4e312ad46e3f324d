import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createToolFinder, describeMissingTool } from '@longhaul/core';
import { loadSession } from '@longhaul/replay';
import { lacks } from '@longhaul/testing/machine';
import { createTools } from '@longhaul/tools';
import { expect, test } from 'vitest';

const folder = process.env['LONGHAUL_TRANSCRIPTS'] ?? '';
const files = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /\.jsonl?$/.test(name));
const findTool = createToolFinder(createTools({ ripgrep: null }));

/** A recorded call that no tool accepts, and the text that the model gets for it. */
interface Refusal {
  name: string;
  reason: string;
}

async function callsOf(file: string): Promise<{ accepted: number; refused: Refusal[] }> {
  const { messages = [] } = await loadSession(join(folder, file));
  let accepted = 0;
  const refused: Refusal[] = [];
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== 'tool') continue;
      const tool = findTool(part.name);
      const parsed = tool?.parse(part.input);
      const reason =
        parsed === undefined
          ? describeMissingTool(part.name, ['bash'])
          : parsed.ok
            ? undefined
            : parsed.reason;
      if (reason === undefined) accepted += 1;
      else refused.push({ name: part.name, reason });
    }
  }
  return { accepted, refused };
}

test.for(files.length === 0 ? ['a recorded session'] : files)(
  'translates the calls of %s, or refuses them with a reason that helps',
  async (file, { skip }) => {
    if (files.length === 0)
      return lacks('transcripts', 'LONGHAUL_TRANSCRIPTS is not a folder of recorded sessions', skip);
    const { accepted, refused } = await callsOf(file);
    expect(accepted + refused.length).toBeGreaterThan(0);
    // More than the fact that the tool is missing: what to do instead, or which argument is wrong.
    const bare = refused.filter(({ reason }) => /^There is no tool "[^"]*"\. Available/.test(reason));
    expect([...new Set(bare.map(({ name }) => name))]).toEqual([]);
    for (const { reason } of refused) expect(reason.length).toBeGreaterThan(30);
  },
);

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findNode20, lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const run = promisify(execFile);

/** Programs on Node.js 20 that use `@longhaul/context` import this function. */
it('runs under Node.js 20 as it is built', async ({ skip }) => {
  const node = await findNode20();
  if (node === undefined) return lacks('node20', 'there is no Node.js 20 on the PATH', skip);
  const script = `
    import { tooLongRefusal } from ${JSON.stringify(ENTRY)};
    const error = new Error("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.");
    console.log(JSON.stringify(tooLongRefusal(Object.assign(error, { status: 400 }))));`;
  const { stdout } = await run(node, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(stdout)).toMatchObject({ windowTokens: 8_192 });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findNode20, lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const run = promisify(execFile);

/** Programs on Node.js 20 that use `@longhaul/context` import functions of this package. */
it('runs under Node.js 20 as it is built: it reads refusals, and counts tokens in a thread', async ({
  skip,
}) => {
  const node = await findNode20();
  if (node === undefined) return lacks('node20', 'there is no Node.js 20 on the PATH', skip);
  const script = `
    import { startTokenizerWorker, tokenFamilyOf, tooLongRefusal } from ${JSON.stringify(ENTRY)};
    const error = new Error("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.");
    const refusal = tooLongRefusal(Object.assign(error, { status: 400 }));
    const worker = await startTokenizerWorker(tokenFamilyOf('gpt-4o'));
    const tokens = await worker.count('A cat.');
    await worker.close();
    console.log(JSON.stringify({ refusal, tokens, exact: worker.exact }));`;
  const { stdout } = await run(node, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(stdout)).toMatchObject({ refusal: { windowTokens: 8_192 }, tokens: 3, exact: true });
});

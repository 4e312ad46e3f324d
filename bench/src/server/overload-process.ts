/**
 * Floods a server with wrong tokens, and sends messages to sessions, until its input ends. Prints `begun` after the first
 * messages, and `sent` after the last.
 */
const [url = '', token = '', countText = '0'] = process.argv.slice(2);
const count = Number(countText);
const SESSIONS = 50;
const FLOODS = 8;
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});

const floods = Array.from({ length: FLOODS }, async () => {
  while (!isOver)
    await call('GET', '/api/sessions', { as: `wrong-${'x'.repeat(32)}` }).catch(() => undefined);
});
const ids = await Promise.all(
  Array.from({ length: SESSIONS }, async () => {
    const { id }: { id: string } = JSON.parse(await call('POST', '/api/sessions', { body: '{}' }));
    return id;
  }),
);
let sent = 0;
await Promise.all(
  Array.from({ length: count }, async (_, index) => {
    await call('POST', `/api/sessions/${ids[index % SESSIONS]}/messages`, { body: '{"content":"go"}' });
    sent += 1;
    if (sent === SESSIONS) console.log('begun');
  }),
);
console.log('sent');
await Promise.all(floods);

async function call(
  method: string,
  path: string,
  { as = token, body }: { as?: string; body?: string },
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  return await response.text();
}

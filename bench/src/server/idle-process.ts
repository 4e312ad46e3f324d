/** Opens idle event streams, prints `open`, and keeps them open until its input ends. */
import { request } from 'node:http';

const [url = '', token = '', countText = '0'] = process.argv.slice(2);
for (let opened = 0; opened < Number(countText); opened += 50) {
  await Promise.all(Array.from({ length: 50 }, open));
}
console.log('open');
process.stdin.resume().on('end', () => process.exit(0));

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } });
    sent.on('response', (response) => {
      response.once('data', () => resolve());
      response.resume();
    });
    sent.on('error', reject);
    sent.end();
  });
}

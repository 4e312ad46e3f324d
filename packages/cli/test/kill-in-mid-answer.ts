import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { connect, createServer } from 'node:net';

/**
 * Listens in the place of a model's process, and kills it as soon as it has sent the first words of an answer. What else
 * it has sent is lost. The next process can listen there then.
 */
export async function killInMidAnswer(socketPath: string, pid: number): Promise<{ killed: Promise<void> }> {
  const own = `${socketPath}.own`;
  await rename(socketPath, own);
  const killed = Promise.withResolvers<void>();
  const server = createServer((client) => {
    const model = connect(own);
    for (const socket of [client, model]) socket.on('error', () => {});
    client.pipe(model);
    client.once('close', () => model.destroy());
    let sent = '';
    model.on('data', (bytes: Buffer) => {
      sent += bytes.toString('latin1');
      const end = /"content":"[^"]/.test(sent) ? sent.indexOf('\n\n', sent.search(/"content":"[^"]/)) : -1;
      if (end < 0) {
        client.write(bytes);
        return;
      }
      model.removeAllListeners('data');
      process.kill(pid, 'SIGKILL');
      const rest = bytes.length - (sent.length - end);
      // The socket is free before the client learns of the end.
      server.close();
      client.write(bytes.subarray(0, rest + 2), () => {
        client.destroy();
        killed.resolve();
      });
    });
    model.once('end', () => client.end());
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return { killed: killed.promise };
}

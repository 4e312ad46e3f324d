import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { type ScriptRequest, type ScriptToolCall, toolResults, userTexts } from '@longhaul/scripted-model';
import { processesWith } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';
import { DOCKER_IMAGE, lacksBubblewrap, lacksDocker } from './machine.ts';

/** Answers each connection, and prints its port. The name is in its arguments. */
const server = (name: string) =>
  `node -e 'const s = require("net").createServer((c) => c.end("the answer\\n")); s.listen(0, "127.0.0.1", () => console.log("listening on " + s.address().port))' ${name}`;

const kinds = [
  { sandbox: 'local', lacking: undefined },
  { sandbox: 'bubblewrap', lacking: lacksBubblewrap },
  { sandbox: 'docker', lacking: lacksDocker },
];

describe.each(
  kinds.map((each) => ({ ...each, title: [each.sandbox, each.lacking].filter(Boolean).join(': ') })),
)('a background server in $title', ({ sandbox, lacking }) => {
  it.skipIf(lacking !== undefined)(
    'answers later commands, is gone after kill -9 of its run, and the next run reports that',
    async () => {
      await using bench = await Bench.open();
      await writeFile(
        bench.userFile,
        `sandbox: { driver: ${sandbox}, network: 'off', image: '${DOCKER_IMAGE}' }\n`,
      );
      const name = `server-${process.pid}-${sandbox}`;
      const answered = Promise.withResolvers<string>();
      const { flags } = await bench.serve({
        script: async (request) => {
          if (notesIn(request) !== '') return notesIn(request);
          const step = nextCall(request, name);
          if (step !== undefined) return { toolCalls: [step] };
          answered.resolve(resultsIn(request).join('\n'));
          return await new Promise<never>(() => {});
        },
      });
      const running = bench.start(['run', 'Go', '--json', ...flags]);
      const results = await Promise.race([answered.promise, running.ended.then(({ stdout }) => stdout)]);
      expect(results).toMatch(
        /runs in the background as (m\d+\.\d+).*\n\[\1 runs\]\n\[no new output\]\n\[\1 runs\]\nthe answer\n\[exit code 0\]$/s,
      );
      running.child.kill('SIGKILL');
      await running.ended;

      const resumed = await bench.run(['resume', 'last', '--json']);
      expect(eventsOf(resumed).findLast(({ type }) => type === 'run:finished')).toMatchObject({
        status: 'completed',
        text: expect.stringMatching(/^- m\d+\.\d+ `node -e .* it ended with the run that started it/),
      });
      expect(processesWith(name)).toEqual([]);
      expect(sandbox === 'docker' ? containersWith(bench.workspace) : []).toEqual([]);
    },
  );
});

/** The server, its port, a client; undefined when the client has got its answer. */
function nextCall(request: ScriptRequest, name: string): ScriptToolCall | undefined {
  const results = resultsIn(request);
  const said = results.join('\n');
  const handle = /in the background as (m\d+\.\d+)/.exec(said)?.[1] ?? '';
  const port = /listening on (\d+)/.exec(said)?.[1];
  const output = (waitFor: string) => ({ name: 'process', arguments: { action: 'output', handle, waitFor } });
  const client = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
  const calls: ScriptToolCall[] = [
    { name: 'bash', arguments: { command: server(name), background: true } },
    output('^listening on'),
    output(`port ${port}`),
    { name: 'bash', arguments: { command: client } },
  ];
  return calls[results.length];
}

const resultsIn = ({ messages }: ScriptRequest) => toolResults(messages).map(({ result }) => result.trim());

/** The lines about commands that have ended. */
function notesIn({ messages }: ScriptRequest): string {
  const note = userTexts(messages).find((text) => text.includes('Background commands have ended'));
  return note?.split('\n').slice(1).join('\n') ?? '';
}

function containersWith(workspace: string): string[] {
  const ids = execFileSync('docker', ['ps', '-aq', '--filter', `volume=${workspace}`], { encoding: 'utf8' });
  return ids.split('\n').filter((id) => id !== '');
}

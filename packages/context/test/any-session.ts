import fc from 'fast-check';
import { call, type LogBuilder, text } from './log-fixtures.ts';

type Script = 'words' | 'code' | 'chinese' | 'line';

const anyScript = fc.constantFrom<Script[]>('words', 'code', 'chinese', 'line');

/** Messages and steps of any size, from empty to larger than the window. */
const anyStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ user: fc.nat(3_000), script: anyScript }) },
  { weight: 1, arbitrary: fc.record({ user: fc.constant(60_000), script: anyScript }) },
  {
    weight: 10,
    arbitrary: fc.record({
      said: fc.nat(500),
      outputs: fc.array(fc.nat(5_000), { maxLength: 3 }),
      failed: fc.boolean(),
      script: anyScript,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      said: fc.constant(5),
      outputs: fc.constant([70_000]),
      failed: fc.boolean(),
      script: anyScript,
    }),
  },
);

export type AnyStep = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** The messages between compactions, over several rounds. */
export const anyRounds = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 14 }), {
  minLength: 1,
  maxLength: 3,
});

export function addStep(builder: LogBuilder, step: AnyStep): void {
  const at = builder.messages.length;
  if ('user' in step) {
    builder.user(`message ${at} ${filler(step.script, step.user)}`);
    return;
  }
  builder.step(
    text(`step ${at} ${filler(step.script, step.said)}`),
    ...step.outputs.map((chars, index) =>
      call(index === 0 ? 'bash' : 'edit', {
        input: index === 0 ? { command: `run ${at}` } : { path: `src/file${at % 7}.ts` },
        output: filler(step.script, chars),
        state: step.failed ? 'error' : 'completed',
      }),
    ),
  );
}

const PIECES: Readonly<Record<Script, string>> = {
  words: 'some words in src/some/file.ts ',
  code: 'export function handleIt(request) { return request.body; }\n',
  chinese: '修改配置文件并运行测试 ',
  line: 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=',
};

function filler(script: Script, chars: number): string {
  const piece = PIECES[script];
  return piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
}

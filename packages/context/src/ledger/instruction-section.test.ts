import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import { computeBudget } from '../budget.ts';
import type { ContextLog } from '../log.ts';
import { createRequestMeter } from '../request-size.ts';
import { countByClasses } from '../tokens.ts';
import { buildView, textOfOutput } from '../view.ts';
import { ledgerFoldFromJson, ledgerFoldToJson } from './fold-json.ts';
import { instructionSection } from './instruction-section.ts';
import { buildLedger, renderLedger } from './ledger.ts';
import type { InstructionFact } from './ledger-facts.ts';
import { createLedgerKeeper } from './ledger-keeper.ts';

function factsOf(texts: readonly string[]): InstructionFact[] {
  return texts.map((text, index) => ({ messageId: `id-${index + 1}`, text, handle: `m${index + 1}` }));
}

interface Within {
  maxTokens: number;
  shareTokens?: number;
  verbatim?: ReadonlySet<string>;
}

function sectionOf(texts: readonly string[], { maxTokens, shareTokens = maxTokens, verbatim }: Within) {
  return instructionSection(factsOf(texts), { maxTokens, shareTokens, verbatim, count: countByClasses });
}

const RULES = Array.from(
  { length: 20 },
  (_, index) => `Rule ${index}: keep module number ${index} free of cycles.`,
);

describe('instructionSection', () => {
  it('shows all instructions word for word when they fit, further lines indented', () => {
    const section = sectionOf(['Build it.', 'No cycles.', 'Use  tabs.\n### Always\n\nYes.'], {
      maxTokens: 200,
    });
    expect(section).toEqual({
      text: '### User instructions (verbatim)\n- (m1) Build it.\n- (m2) No cycles.\n- (m3) Use  tabs.\n  ### Always\n\n  Yes.',
      tokens: expect.any(Number),
      isWhole: true,
    });
  });

  it('leaves out texts of megabytes in little time', () => {
    const paste = 'a b. '.repeat(2_000_000);
    const from = performance.now();
    const section = sectionOf(['Build it.', paste, paste, 'Use tabs.'], { maxTokens: 200 });
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(section?.text).toContain('- (m4) Use tabs.\n(Instructions left out: 1 (m2).');
  });

  it.each([2_000, 100])(
    'leaves out acknowledgements and repetitions, and lists their handles, with a share of %i tokens',
    (shareTokens) => {
      const texts = ['Build it.', ...RULES, 'ok', 'ls', 'yes please', `${RULES[3]?.toUpperCase()} `];
      const section = sectionOf(texts, { maxTokens: 2_000, shareTokens });
      expect(section?.isWhole).toBe(shareTokens === 2_000);
      for (const rule of RULES.filter((_, index) => index !== 3))
        expect(section?.text).toContain(`) ${rule}\n`);
      expect(section?.text).toContain(`(m25) ${RULES[3]?.toUpperCase()}\n`);
      expect(section?.text).toMatch(
        /\n\(Instructions left out: 4 short or repeated \(m5 m22 m23 m24\)\. recall reads them by handle\.\)$/,
      );
    },
  );

  it('shows a short answer with its question, and does not take it for an acknowledgement or a repetition', () => {
    const facts = factsOf(['Build it.', 'yes', 'yes', 'ok']).map((fact, index) =>
      index === 1 || index === 2 ? { ...fact, answers: `Question ${index}?` } : fact,
    );
    expect(instructionSection(facts, { maxTokens: 500, shareTokens: 500, count: countByClasses })?.text).toBe(
      [
        '### User instructions (verbatim)',
        '- (m1) Build it.',
        '- (m2) to the question “Question 1?”: yes',
        '- (m3) to the question “Question 2?”: yes',
        '(Instructions left out: 1 short or repeated (m4). recall reads them by handle.)',
      ].join('\n'),
    );
  });

  it('is undefined if all hidden messages are acknowledgements', () => {
    expect(sectionOf(['Build it.', 'ok'], { maxTokens: 500, verbatim: new Set(['id-1']) })).toBeUndefined();
  });

  it('treats an instruction that the view shows as the repetition of hidden ones', () => {
    const section = sectionOf(['Build it.', ...RULES, 'Use tabs.', 'use tabs'], {
      maxTokens: 600,
      shareTokens: 0,
      verbatim: new Set(['id-1', 'id-23']),
    });
    expect(section?.text).toContain('(Instructions left out: 1 short or repeated (m22)');
    expect(section?.text).not.toMatch(/use tabs/i);
  });

  it('cuts the longest instructions at the end of a sentence before it leaves out any', () => {
    const paste = `Here is what I see. ${'The log has many more lines of this kind. '.repeat(60)}Fix it.`;
    const section = sectionOf(['Build it.', paste, ...RULES.slice(0, 8)], { maxTokens: 400 });
    for (const rule of RULES.slice(0, 8)) expect(section?.text).toContain(`) ${rule}`);
    expect(section?.text).toMatch(
      /- \(m2\) Here is what I see\. (?:The log has [^.]+\. )*\[… \d+ characters cut here; read it with recall, handle m2 …\] (?:The log has [^.]+\. )*Fix it\.\n/,
    );
    expect(section?.text).not.toContain('left out');
  });

  it('leaves out the oldest of too many instructions except the task, and names the range', () => {
    const texts = ['Build a formatter. It must be fast.', ...RULES, ...RULES.map((rule) => `Also ${rule}`)];
    const section = sectionOf(texts, { maxTokens: 300 });
    expect(section?.text).toContain('\n- (m1) Build a formatter. It must be fast.\n');
    expect(section?.text).toContain('\n- (m41) Also Rule 19: keep module number 19 free of cycles.\n');
    expect(section?.text).not.toContain('- (m2) ');
    expect(section?.text).toMatch(
      /\n\(Instructions left out: \d+ \(m2 to m\d+\)\. recall reads them by handle\.\)$/,
    );
  });

  it('leaves out a text of which no sentence fits', () => {
    const section = sectionOf(['Build it.', 'QUJDREVG'.repeat(2_000), 'Use tabs.'], { maxTokens: 200 });
    expect(section?.text).toBe(
      '### User instructions (verbatim)\n- (m1) Build it.\n- (m3) Use tabs.\n(Instructions left out: 1 (m2). recall reads them by handle.)',
    );
  });

  it('is undefined without a hidden instruction or without room for a line', () => {
    expect(sectionOf([], { maxTokens: 500 })).toBeUndefined();
    expect(sectionOf(['Build it.'], { maxTokens: 500, verbatim: new Set(['id-1']) })).toBeUndefined();
    expect(sectionOf(['Build it.'], { maxTokens: 5 })).toBeUndefined();
    expect(sectionOf(RULES, { maxTokens: -5 })).toBeUndefined();
  });

  it('accounts for every instruction within its tokens', () => {
    const anyText = fc.oneof(
      fc.constantFrom('ok', 'ls', 'Use tabs.', 'Never commit to main. Ask first.'),
      fc
        .constantFrom('文。', 'word ', 'A sentence of some words. ', 'QUJD', '\n')
        .chain((unit) => fc.integer({ min: 1, max: 300 }).map((times) => `x ${unit.repeat(times)}`)),
    );
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 60, max: 1_500 }),
        (texts, maxTokens) => {
          const section = sectionOf(texts, { maxTokens });
          if (section === undefined) return;
          expect(countByClasses(section.text)).toBeLessThanOrEqual(maxTokens);
          const { length: shown } = section.text.match(/^- \(m\d+\) /gm) ?? [];
          const note = section.text.split('\n').at(-1) ?? '';
          const counts = [...note.matchAll(/(\d+) (?:short or repeated )?\(m/g)];
          const leftOut = note.startsWith('(Instructions left out: ')
            ? counts.reduce((sum, [, count]) => sum + Number(count), 0)
            : 0;
          expect(shown + leftOut).toBe(texts.length);
        },
      ),
    );
  });
});

/** A long chat. Every third message of the user is an acknowledgement. */
function longChat(): { builder: LogBuilder; requests: string[] } {
  const builder = new LogBuilder().user(
    'Build a formatter for our templates. It must never change what a template means.',
  );
  const requests: string[] = [];
  const short = ['ok', 'continue', 'thanks', 'ls', 'yes'];
  for (let index = 0; index < 60; index += 1) {
    const isShort = index % 3 === 2;
    const request = isShort
      ? (short[index % short.length] ?? '')
      : `Handle case ${index} of the template grammar. Keep option ${index} off by default, and name it in the docs. Its test is in the same folder as the others, and has an empty template too.`;
    if (!isShort) requests.push(request);
    builder
      .user(request)
      .step(
        'I look at it.',
        call('read', { input: { path: `src/case${index}.ts` }, output: code(60, index) }),
      );
  }
  return { builder, requests };
}

describe('the instructions of a long chat', () => {
  it.each([16_000, 32_000])(
    'stay word for word as far as they fit in a window of %i tokens',
    async (windowTokens) => {
      const { builder, requests } = longChat();
      const budget = computeBudget({ windowTokens, maxOutputTokens: 4_000, fixedTokens: 1_500 });
      const meter = createRequestMeter(countByClasses);
      let log: ContextLog = { messages: [], marks: [] };
      for (const [index] of builder.messages.entries()) {
        log = { messages: builder.messages.slice(0, index + 1), marks: log.marks };
        if (meter.requestTokens(buildView(log), budget.fixedTokens) < budget.usableTokens) continue;
        log = withCompaction(
          log,
          expectCompacted(await compactLog(log, { budget, meter, reason: 'overflow' })),
        );
      }
      expect(log.marks.length).toBeGreaterThan(1);
      const view = buildView(log)
        .map(({ message }) => textOfOutput(message.content.filter((part) => part.type === 'text')))
        .join('\n');
      expect(view).toContain(
        'Build a formatter for our templates. It must never change what a template means.',
      );
      const missing = requests.filter((request) => !view.includes(request));
      // A window of 16,000 tokens has no room for all of them. The oldest are left out and counted.
      expect(missing).toEqual(requests.slice(0, missing.length));
      expect(missing.length).toBeLessThanOrEqual(windowTokens === 16_000 ? 8 : 0);
      if (windowTokens > 16_000) return;
      expect(view).toMatch(
        /Instructions left out: \d+ \(m2 (?:to )?m[\d m]+\), \d+ short or repeated \(m\d+ to m\d+\)\. recall/,
      );
      expect(view).not.toMatch(/- \(m\d+\) (?:ok|continue|thanks|ls|yes)\n/);
    },
  );

  it('are the same from a kept fold and from a stored fold', () => {
    const { messages } = longChat().builder;
    const options = { maxTokens: 2_000, count: countByClasses, verbatim: new Set([messages[0]?.id ?? '']) };
    const keeper = createLedgerKeeper();
    for (const end of [1, 30, 31, 90, messages.length]) {
      const known = messages.slice(0, end);
      const ledger = buildLedger(known, options);
      expect(renderLedger(keeper.foldOf(known), options)).toBe(ledger);
      const stored = JSON.parse(ledgerFoldToJson(keeper.foldOf(known)));
      expect(Object.keys(stored.instructions[0])).toEqual(['messageId', 'text', 'handle']);
      expect(stored.version).toBe(12);
      const fold = ledgerFoldFromJson(JSON.stringify(stored));
      expect(fold === undefined ? '' : renderLedger(fold, options)).toBe(ledger);
    }
  });
});

import type { Message } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { createRequestMeter, viewMessageTokens } from './request-size.ts';
import { IMAGE_TOKENS, MESSAGE_OVERHEAD_TOKENS, REPLY_PRIMING_TOKENS } from './tokens.ts';
import type { ViewMessage } from './view-message.ts';

const count = (text: string) => text.length;
const question: ViewMessage = { role: 'user', content: [{ type: 'text', text: '0123456789' }] };

describe('viewMessageTokens', () => {
  it('counts text and the overhead of the chat format', () => {
    expect(viewMessageTokens(question, count)).toBe(10 + MESSAGE_OVERHEAD_TOKENS);
  });

  it('counts the call, its arguments and its result', () => {
    const message: ViewMessage = {
      role: 'assistant',
      content: [
        {
          type: 'tool',
          callId: 'c',
          name: 'read',
          input: { path: 'a' },
          output: [{ type: 'text', text: 'four' }],
          isError: false,
        },
      ],
    };
    expect(viewMessageTokens(message, count)).toBe(
      3 * MESSAGE_OVERHEAD_TOKENS + 4 + '{"path":"a"}'.length + 4,
    );
  });

  it('counts an image at its fixed cost, and reasoning only when it is sent back', () => {
    const image: ViewMessage = { role: 'user', content: [{ type: 'image', data: 'A'.repeat(90_000) }] };
    expect(viewMessageTokens(image, count)).toBe(IMAGE_TOKENS + MESSAGE_OVERHEAD_TOKENS);
    const reasoning = (providerMetadata?: { test: { signature: string } }): ViewMessage => ({
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'hmm', providerMetadata }],
    });
    expect(viewMessageTokens(reasoning(), count)).toBe(MESSAGE_OVERHEAD_TOKENS);
    expect(viewMessageTokens(reasoning({ test: { signature: 's' } }), count)).toBe(
      MESSAGE_OVERHEAD_TOKENS + 3,
    );
  });
});

describe('createRequestMeter', () => {
  it('counts system text and tools once, and the priming of the reply', () => {
    const meter = createRequestMeter(count);
    expect(meter.requestTokens([], 1_000)).toBe(1_000 + REPLY_PRIMING_TOKENS);
    expect(meter.requestTokens([{ message: question }], 1_000)).toBe(1_000 + 14 + REPLY_PRIMING_TOKENS);
  });

  it('predicts the real size after a calibration, fixed tokens included', () => {
    const meter = createRequestMeter(count);
    const predicted = meter.requestTokens([{ message: question }], 1_000);
    meter.calibrate(predicted, predicted * 2);
    expect(meter.requestTokens([{ message: question }], 1_000)).toBe(predicted * 2);
    meter.calibrate(predicted * 2, predicted * 2);
    expect(meter.ratio).toBe(2);
  });

  it('stays within its bounds for any usage that a provider reports', () => {
    const meter = createRequestMeter(count);
    for (const [predicted, real] of [
      [0, 10],
      [10, 0],
      [Number.NaN, 5],
      [5, Number.NaN],
      [-1, 5],
    ] as const)
      meter.calibrate(predicted, real);
    expect(meter.ratio).toBe(1);
    expect(meter.calibrate(1, 1_000_000)).toBe('too-high');
    expect(meter.ratio).toBe(3);
    expect(meter.calibrate(1_000_000, 1)).toBeUndefined();
    expect(meter.ratio).toBe(0.5);
    expect(createRequestMeter(count, 900).ratio).toBe(3);
  });

  it('allows for an error in the part that was not measured', () => {
    const meter = createRequestMeter(count);
    expect(meter.marginTokens(10_000)).toBe(1_500);
    meter.calibrate(10_000, 10_000);
    expect(meter.marginTokens(10_000)).toBe(0);
    expect(meter.marginTokens(12_000)).toBe(300);
    expect(meter.marginTokens(8_000)).toBe(1_200);
    meter.forgetMeasured();
    expect(meter.marginTokens(12_000)).toBe(1_800);
  });

  it('expects the full count for new texts, even if earlier texts cost less', () => {
    const meter = createRequestMeter(count);
    meter.calibrate(10_000, 5_000);
    meter.forgetMeasured();
    expect(meter.marginTokens(5_000)).toBe(5_750);
  });

  it('learns the sizes of images and text separately', () => {
    const meter = createRequestMeter(count);
    const image: ViewMessage = { role: 'user', content: [{ type: 'image', data: '' }] };
    const entries = [{ message: question }, { message: image }, { message: image }];
    const predicted = meter.requestTokens(entries, 3_000);
    expect(meter.mediaTokens(entries)).toBe(2 * IMAGE_TOKENS);
    meter.calibrate(predicted, predicted - 2_000, meter.mediaTokens(entries));
    expect(meter.requestTokens(entries, 3_000)).toBeCloseTo(predicted - 2_000, -1);
    expect(meter.ratio).toBeGreaterThan(0.95);
    expect(meter.mediaRatio).toBeLessThan(0.25);
    expect(createRequestMeter(count, 1, { initialMediaRatio: 0.2 }).mediaTokens(entries)).toBe(480);
  });

  it('counts what is sent for an entry instead of its view', () => {
    const meter = createRequestMeter(count, 1, { sizeOf: () => ({ text: 500, media: 90 }) });
    const viewTokens = meter.messageTokens(question);
    expect(viewTokens).toBe(10 + MESSAGE_OVERHEAD_TOKENS);
    expect(meter.requestTokens([{ message: question }], 0)).toBe(590 + REPLY_PRIMING_TOKENS);
    expect(meter.messageTokens(question)).toBe(590);
  });

  it('counts new texts in full after a measurement if it is cautious', () => {
    const message: ViewMessage = { role: 'user', content: [{ type: 'text', text: 'x'.repeat(1_000) }] };
    const source = (id: string) => ({ id }) as unknown as Message;
    const [old, fresh] = [
      { message, source: source('m1') },
      { message, source: source('m2') },
    ];
    const meter = createRequestMeter(count, 1, { isCautious: true });
    meter.measured([old], 0, 600);
    expect(meter.requestTokens([old], 0)).toBe(600);
    expect(meter.requestTokens([old, fresh], 0)).toBeGreaterThan(1_550);
    meter.forgetMeasured();
    expect(meter.requestTokens([old], 0)).toBeGreaterThan(950);
  });
});

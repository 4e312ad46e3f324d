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

  it('stays within its bounds, whatever a provider reports', () => {
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
});

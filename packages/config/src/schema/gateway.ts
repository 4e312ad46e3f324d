import * as z from 'zod';
import { DEFAULT_CONFIG as D, NOTICE_MANNERS } from '../config.ts';
import { name, port, setting, text, url } from './values.ts';

export const gateway = z.strictObject({
  host: setting(text, 'Address to listen on; one that other machines reach needs a token.', D.gateway.host),
  port: setting(port, '0: any free one.', D.gateway.port),
  token: setting(
    text,
    'Clients bring it as their API key. Better as $NAME. Default: LONGHAUL_GATEWAY_TOKEN, else none.',
  ),
  upstreams: setting(
    z.array(
      z.strictObject({
        name: name.meta({
          description:
            'With several upstreams, the prefix of its models. Key and models of the provider of this name are its.',
        }),
        baseUrl: url.meta({ description: 'Usually ending in /v1.' }),
        compaction: setting(z.boolean(), 'false: requests pass unchanged.', true),
        apiKey: setting(text, "Better as $NAME. Default: the provider's, else the client's own passes."),
      }),
    ),
    'Servers behind the gateway.',
    D.gateway.upstreams.map((upstream) => ({ ...upstream })),
  ),
  notices: setting(
    z.enum(NOTICE_MANNERS),
    'How clients are told of a compaction: in the text, in the reasoning, in comments of the stream, or not.',
    D.gateway.notices,
  ),
  learnUsage: setting(
    z.boolean(),
    'Ask streams for their usage, and take it out again.',
    D.gateway.learnUsage,
  ),
  inputThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window from which on a request is compacted.',
    D.gateway.inputThreshold,
  ),
  warningThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window at which a stream is stopped and gone on with in a new request.',
    D.gateway.warningThreshold,
  ),
});

import * as z from 'zod';
import { DEFAULT_CONFIG as D, NOTICE_MANNERS } from '../config.ts';
import { name, port, setting, text, url } from './values.ts';

export const gateway = z.strictObject({
  host: setting(
    text,
    'Address to listen on. One that other machines can reach needs a token.',
    D.gateway.host,
  ),
  port: setting(port, '0: any free port.', D.gateway.port),
  token: setting(
    text,
    'The API key that clients must send. Better as $NAME. Default: LONGHAUL_GATEWAY_TOKEN, else none.',
  ),
  upstreams: setting(
    z.array(
      z.strictObject({
        name: name.meta({
          description:
            'With several upstreams, the prefix of its models. It uses the key and the models of the provider of this name.',
        }),
        baseUrl: url.meta({ description: 'Usually ending in /v1.' }),
        compaction: setting(z.boolean(), 'false: forward requests unchanged.', true),
        apiKey: setting(
          text,
          "Better as $NAME. Default: the provider's key. Without one, the client's key is forwarded.",
        ),
      }),
    ),
    'The model servers that the gateway forwards to.',
    D.gateway.upstreams.map((upstream) => ({ ...upstream })),
  ),
  notices: setting(
    z.enum(NOTICE_MANNERS),
    'Where a compaction is announced to clients: in the text, in the reasoning, in comments of the stream, or nowhere.',
    D.gateway.notices,
  ),
  learnUsage: setting(
    z.boolean(),
    'Request usage figures in streams, and remove them from the answer if the client did not request them.',
    D.gateway.learnUsage,
  ),
  inputThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window at which a request is compacted.',
    D.gateway.inputThreshold,
  ),
  warningThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window at which a stream is stopped and continued in a new request.',
    D.gateway.warningThreshold,
  ),
});

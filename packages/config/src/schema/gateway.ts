import * as z from 'zod';
import { DEFAULT_CONFIG as D, NOTICE_MANNERS } from '../config.ts';
import { name, port, setting, summaryModel, text, upstreamUrl } from './values.ts';

export const gateway = z.strictObject({
  host: setting(
    text,
    'Address to listen on. If other machines can reach the address, a token is required.',
    D.gateway.host,
  ),
  port: setting(port, 'Port to listen on. 0: any free port.', D.gateway.port),
  token: setting(
    text,
    'The API key that clients must send. Use $NAME to read it from the environment. Default: the variable LONGHAUL_GATEWAY_TOKEN, else no key is needed.',
  ),
  upstreams: setting(
    z.array(
      z.strictObject({
        name: name.meta({
          description:
            'Name of the upstream. With several upstreams, its models are listed as NAME/MODEL. The upstream uses the API key and the model settings of the provider with this name.',
        }),
        baseUrl: upstreamUrl.meta({
          description:
            'Address of the server. It usually ends in /v1. embedded:NAME or embedded:PATH.gguf: a model that runs inside Longhaul.',
        }),
        compaction: setting(
          z.union([z.boolean(), z.literal(['required', 'required-off'])]),
          'Whether to compact requests to this upstream. If false, all of them pass unchanged. required: as true, but a request is refused if the window of its model is unknown. required-off: as false, but the switch on the page turns it into required.',
          true,
        ),
        apiKey: setting(
          text,
          "API key of the upstream. Use $NAME to read it from the environment. Default: the provider's key. If it is set, the clients' keys are never passed on to this upstream.",
        ),
        clientKey: setting(
          z.boolean(),
          'Whether the key that a client sends is passed on to this upstream. It is never passed on if the upstream has an apiKey or the gateway has a token. At most one upstream can have it. Default: true if there is only one upstream.',
        ),
      }),
    ),
    'The model servers to which the gateway forwards requests.',
    D.gateway.upstreams.map((upstream) => ({ ...upstream })),
  ),
  hosts: setting(
    z.array(text),
    'Host names of the gateway, besides addresses and localhost. Not needed with a token.',
    D.gateway.hosts,
  ),
  origins: setting(
    z.array(
      z.string().regex(/^[a-z][a-z\d+.-]*:\/\/[^/]+$/i, {
        error: 'must be an origin, such as https://chat.example.com',
      }),
    ),
    'Origins of pages that may use the gateway, besides those of this machine.',
    D.gateway.origins,
  ),
  notices: setting(
    z.enum(NOTICE_MANNERS),
    'Where users see notices about compactions. text: in the answer. reasoning: in the thoughts of the model. comment: in comments of the stream, which clients ignore. off: nowhere.',
    D.gateway.notices,
  ),
  learnUsage: setting(
    z.boolean(),
    'Whether to request the token usage of every stream. If the client did not request the usage, it is removed from the answer.',
    D.gateway.learnUsage,
  ),
  compactor: setting(
    summaryModel,
    'The model that writes summaries: UPSTREAM/MODEL, __same__ (the model that the client requested), or none (summaries contain computed facts only). Default: context.compression.model.',
  ),
  inputThreshold: setting(
    z.number().gt(0).max(1),
    'A request is compacted if it reaches this share of the window, together with the room reserved for its answer.',
    D.gateway.inputThreshold,
  ),
  warningThreshold: setting(
    z.number().gt(0).max(1),
    'A stream is stopped and continued in a new, compacted request if the request and the answer reach this share of the window.',
    D.gateway.warningThreshold,
  ),
});

import type { Gateway } from '@longhaul/gateway';

export interface ShownPage {
  address: string;
  tokenFile: string;
}

/** What a person sees who has started a gateway: where it is, what it stands before, and how to use it. */
export function gatewayBanner(gateway: Gateway, page: ShownPage | undefined): string {
  const { url } = gateway;
  const { upstreams } = gateway.status();
  const width = Math.max(...upstreams.map(({ name }) => name.length));
  const root = url.replace(/\/v1$/, '');
  return [
    `The gateway listens on ${url}`,
    '',
    ...upstreams.map(
      ({ name, baseUrl, compaction }) =>
        `  ${name.padEnd(width)}  ${baseUrl}${compaction ? '' : '  (passed unchanged)'}`,
    ),
    '',
    'Point a client at it',
    `  base URL   ${url}`,
    '  API key    the key that the server behind it needs, or any text',
    ...(upstreams.length > 1 ? [`  models     NAME/MODEL, such as ${upstreams[0]?.name}/…`] : []),
    `  try        curl -s ${url}/models`,
    '',
    ...(page === undefined
      ? [`What it does: ${root}/status`]
      : [`Page: ${page.address}`, `Token of the page: ${page.tokenFile}`]),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

import { fileURLToPath } from 'node:url';
import type { GatewayPageOptions } from '@longhaul/gateway';
import { toLonghaulError } from '@longhaul/protocol';
import { GATEWAY_PAGE_FOLDER } from '@longhaul/web';
import type { Settings } from '../compose/load-settings.ts';
import { tokenPlace } from '../serve/token-place.ts';
import { type PagePlace, settingsKeeper } from './settings-keeper.ts';

export interface OpenPage {
  /** Undefined: the gateway has no page. */
  options: GatewayPageOptions | undefined;
  tokenFile: string;
  /** For a person: why there is no page, or who could read its token. */
  warning: string | undefined;
}

/** Prepares the page of the gateway. Without a token there is no page: the gateway works without it. */
export async function openPage(settings: Settings, place: PagePlace): Promise<OpenPage> {
  const { config, home, workspace } = settings;
  const { gatewayPage: tokenFile, exposedIn } = tokenPlace({
    url: config.storage.url,
    home,
    workspaces: [workspace],
  });
  if (!config.web.enabled) return { options: undefined, tokenFile, warning: undefined };
  const { loadToken } = await import('@longhaul/models/http');
  try {
    const { token } = await loadToken(tokenFile);
    const warning =
      exposedIn === undefined
        ? undefined
        : `The token of the page, ${tokenFile}, is in the folder ${exposedIn}: an agent that works there can read it. Move the database (storage.url).`;
    const options = {
      folder: fileURLToPath(GATEWAY_PAGE_FOLDER),
      token,
      keeper: settingsKeeper(settings, place),
    };
    return { options, tokenFile, warning };
  } catch (thrown) {
    const { message } = toLonghaulError(thrown);
    return { options: undefined, tokenFile, warning: `The gateway starts without its page. ${message}` };
  }
}

/**
 * Makes the pictures of the README and of `docs/terminal.md` and `docs/page.md`.
 *
 * Run it with `npm run pictures`, or `npm run pictures -- page` for those of the page alone. `npm run build` first.
 */
import { makeChatPictures } from './chat-pictures.ts';
import { makePagePictures } from './page-pictures.ts';
import { makeReadmePictures } from './readme-pictures.ts';

const MAKERS: Readonly<Record<string, () => Promise<void>>> = {
  readme: makeReadmePictures,
  chat: makeChatPictures,
  page: makePagePictures,
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(MAKERS) : asked) {
  const make = MAKERS[name];
  if (make === undefined)
    throw new Error(`There are no pictures "${name}". Expected ${Object.keys(MAKERS).join(' or ')}.`);
  await make();
}

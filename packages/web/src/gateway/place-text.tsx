import type { PageSettings } from '@longhaul/protocol/gateway-page';

/** Where changes of settings are stored. */
export function PlacesText({
  places,
}: {
  places: readonly PageSettings['places'][keyof PageSettings['places']][];
}) {
  const files = new Set(places.flatMap((place) => ('file' in place ? [place.file] : [])));
  return [...files].map((file) => (
    <span key={file}>
      Stored in <code>{file}</code>.{' '}
    </span>
  ));
}

/** Why a change of a setting is not stored. */
export function NotStoredText({ place }: { place: PageSettings['places'][keyof PageSettings['places']] }) {
  if ('file' in place) return null;
  return <span className="warn">A change lasts until the gateway stops. {place.notStored}</span>;
}

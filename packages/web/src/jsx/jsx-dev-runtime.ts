import { jsxDEV as reactJsxDev } from 'react/jsx-dev-runtime';
import { shownProps } from './shown-props.ts';

export { Fragment, type JSX } from 'react/jsx-dev-runtime';

/** As `jsx-runtime.ts`, for the page served from its sources and for tests. */
export const jsxDEV: typeof reactJsxDev = (type, props, ...rest) =>
  reactJsxDev(type, shownProps(props as object), ...rest);

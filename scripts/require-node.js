// Plain JavaScript that every Node.js runs: fails with a clear message if this one cannot build the checkout.
const OLDEST = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < OLDEST) {
  console.error(
    `This checkout needs Node.js ${OLDEST} or newer, and this is ${process.version}. Install it from https://nodejs.org or with your version manager, then run npm ci again. (On Linux x64, npm ci installs it for the scripts of the checkout, unless optional dependencies are omitted.)`,
  );
  process.exit(1);
}

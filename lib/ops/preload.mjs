// Runs before each command of the operator (`node --import`), on any Node: refuses one that is too old, and
// loads the settings in `.env`.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// The first versions with `import.meta.main`:
// https://nodejs.org/docs/latest-v24.x/api/esm.html#importmetamain
if (major < 22 || major === 23 || (major === 22 && minor < 18) || (major === 24 && minor < 2)) {
  console.error(
    `This needs Node 22.18, 24.2 or later, but ${process.execPath} is ${process.versions.node}: install one from https://nodejs.org/en/download`,
  )
  process.exit(1)
}

/**
 * Load a file of settings, if the folder has it. A variable that is set already stays:
 * https://nodejs.org/docs/latest-v24.x/api/process.html#processloadenvfilepath
 *
 * @param {string} file
 * @param {string} remedy What to do when this user may not read it.
 */
export function loadSettings(file, remedy) {
  if (!existsSync(file)) return
  try {
    process.loadEnvFile(file)
  } catch {
    console.error(`This user may not read ${file}: ${remedy}.`)
    process.exit(1)
  }
}
loadSettings(
  '.env',
  'run a command of the operator with sudo; let the group of the service read it with `chgrp <group> .env` and `chmod 640 .env`',
)

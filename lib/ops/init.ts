import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { forbidLargeObjects } from '#db/migrate/requirements.ts'
import { readEnvironment, settingsFileOf } from './settings-file.ts'

/**
 * Return the settings of the example, each `<name>` replaced by a value of its own. The same name has the
 * same value.
 */
export function fillSettings(example: string): string {
  const values = new Map<string, string>()
  return example.replaceAll(/<([a-z-]+)>/g, (_, name: string) => {
    // These keys are 32 bytes in base64. The others must fit into a connection string.
    const isKey = name === 'credentials-key' || name === 'record-key'
    const value = values.get(name) ?? randomBytes(32).toString(isKey ? 'base64' : 'base64url')
    values.set(name, value)
    return value
  })
}

/**
 * Return the lines for psql with which a superuser creates the owner of the database, and the database. Only a
 * superuser may withdraw the right to store large objects, which would let the roles of the service fill the disk.
 */
export function describeOwner(settings: string): string[] {
  const url = new URL(parseEnv(settings).DATABASE_OWNER_URL ?? '')
  const database = url.pathname.slice(1)
  return [
    `create role ${url.username} login createrole bypassrls password '${url.password}';`,
    `create database ${database} owner ${url.username} encoding 'UTF8' template template0;`,
    `\\connect ${database}`,
    `${forbidLargeObjects};`,
  ]
}

/** Write a file that nobody else may read. An existing one is not replaced. */
function writeSecret(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}

/** Write an example with values of its own to a file, and return it. */
function writeSettings(file: string, example: string): string {
  const settings = fillSettings(readFileSync(join(import.meta.dirname, '../..', example), 'utf8'))
  writeSecret(file, settings)
  return settings
}

// The entries of the built folder set it.
const isBuilt = 'startedFile' in globalThis
const ownerFile = '.env.owner'
const databaseFile = 'create-database.sql'

/** Write the settings, and return what to do next. No password is printed: terminals and logs keep it. */
function writeForNode(): string {
  const file = '.env'
  for (const name of [file, ownerFile, databaseFile]) requireNew(name)
  writeSettings(file, '.env.example')
  const statements = describeOwner(writeSettings(ownerFile, '.env.owner.example'))
  writeSecret(databaseFile, `${statements.join('\n')}\n`)
  return `Wrote ${file} with fresh keys, and ${ownerFile} for the commands of the operator. Set the addresses in ${file}, SMTP_URL or RESEND_API_KEY for e-mails, and OPENAI_API_KEY for AI.
Then create the owner and the database, as a superuser of PostgreSQL 16 or later, and delete the file:
  sudo cat ${databaseFile} | sudo -u postgres psql --set ON_ERROR_STOP=1 && sudo rm ${databaseFile}
With Docker, compose.yaml does that: only delete the file.
Then run ${isBuilt ? '`node migrate.js` and `node serve.js`' : '`npm run migrate`, `npm run build -- --node` and `npm run serve`'}.`
}

/** Write the settings of an environment of wrangler.toml, and return what to do next. */
function writeForCloudflare(environment: string): string {
  const file = settingsFileOf(environment)
  requireNew(file)
  const settings = parseEnv(writeSettings(file, '.dev.vars.example'))
  const readPassword = (name: string) => new URL(settings[name] ?? '').password
  return `Wrote ${file} with fresh keys. Set the addresses in it, and what Neon, Upstash, Resend and OpenAI show.
Then create the tables and the two roles of the service:
  DATABASE_OWNER_URL='<the unpooled connection string of Neon>' \\
    RUNTIME_PASSWORD=${readPassword('DATABASE_URL')} PLATFORM_PASSWORD=${readPassword('DATABASE_PLATFORM_URL')} npm run migrate
Then run \`npx wrangler deploy --env="${environment}" --secrets-file ${file}\`.`
}

/** Throw if a file is there already. */
function requireNew(file: string): void {
  if (existsSync(file))
    throw new Error(
      `There is a ${file} already; what is in it is needed for what is stored. Nothing was changed.`,
    )
}

if (import.meta.main)
  try {
    const environment = readEnvironment()
    console.log(environment === undefined ? writeForNode() : writeForCloudflare(environment))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

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

/** Return the statements with which a superuser creates the owner of the database, and the database. */
export function describeOwner(settings: string): string[] {
  const url = new URL(parseEnv(settings).DATABASE_OWNER_URL ?? '')
  const database = url.pathname.slice(1)
  return [
    `create role ${url.username} login createrole bypassrls password '${url.password}';`,
    `create database ${database} owner ${url.username} encoding 'UTF8' template template0;`,
  ]
}

/**
 * Write an example with values of its own to a file that nobody else may read, and return it. An existing
 * file is not replaced.
 */
function writeSettings(file: string, example: string): string {
  const settings = fillSettings(readFileSync(join(import.meta.dirname, '../..', example), 'utf8'))
  writeFileSync(file, settings, { mode: 0o600, flag: 'wx' })
  return settings
}

/** Write the settings, and return what to do next. */
function writeForNode(file: string): string {
  const [createRole, createDatabase] = describeOwner(writeSettings(file, '.env.example'))
  return `Wrote ${file} with fresh keys. Set the addresses in it, SMTP_URL or RESEND_API_KEY for e-mails, and OPENAI_API_KEY for AI.
Then create the owner and the database, as a superuser of PostgreSQL 16 or later:
  ${createRole}
  ${createDatabase}
Then run \`npm run migrate\` and \`npm run serve\`, in a checkout after \`npm run build -- --node\`.`
}

/** Write the settings, and return what to do next. */
function writeForCloudflare(file: string): string {
  const settings = parseEnv(writeSettings(file, '.dev.vars.example'))
  const readPassword = (name: string) => new URL(settings[name] ?? '').password
  return `Wrote ${file} with fresh keys. Set the addresses in it, and what Neon, Upstash, Resend and OpenAI show.
Then create the tables and the two roles of the service:
  DATABASE_OWNER_URL='<the unpooled connection string of Neon>' \\
    RUNTIME_PASSWORD=${readPassword('DATABASE_URL')} PLATFORM_PASSWORD=${readPassword('DATABASE_PLATFORM_URL')} npm run migrate
Then run \`npx wrangler deploy --env="" --secrets-file ${file}\`.`
}

if (import.meta.main) {
  const isCloudflare = process.argv.includes('--cloudflare')
  const file = isCloudflare ? '.dev.vars.production' : '.env'
  try {
    console.log(isCloudflare ? writeForCloudflare(file) : writeForNode(file))
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    console.error(
      exists
        ? `There is a ${file} already; its keys are needed for what is stored. Nothing was changed.`
        : error,
    )
    process.exitCode = 1
  }
}

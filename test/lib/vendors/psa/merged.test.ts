import { expect, it } from 'vitest'
import { findSurvivor } from '#vendors/psa/merged.ts'

/** Follow the merges of a ticket 1 whose targets are written as `1>2 2>3`. */
async function follow(merges: string) {
  const targets = new Map(merges.split(' ').map((merge) => merge.split('>') as [string, string]))
  const read: string[] = []
  const readTicket = async (id: string) => {
    read.push(id)
    return id
  }
  const survivor = await findSurvivor(await readTicket('1'), readTicket, (id) => targets.get(id) ?? null)
  return { survivor, reads: read.length }
}

it.each([
  ['', '1', 1],
  ['1>2', '2', 2],
  ['1>2 2>3', '3', 3],
])('PSA-48 the merges %j lead to %s after %s reads', async (merges, survivor, reads) => {
  expect(await follow(merges)).toEqual({ survivor, reads })
})

it.each(['1>1', '1>2 2>1', '1>2 2>3 3>2'])(
  'PSA-49 the loop %s leads to the ticket itself',
  async (merges) => {
    expect((await follow(merges)).survivor).toBe('1')
  },
)

it('PSA-48 follows five merges', async () => {
  expect(await follow('1>2 2>3 3>4 4>5 5>6 6>7 7>8')).toEqual({ survivor: '6', reads: 6 })
})

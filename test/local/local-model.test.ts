import { expect, it } from 'vitest'
import { buildTree, createIdGenerator, linkJumps, parseStatements } from '#local/model/procedures.ts'

it('linkJumps removes a “Go back to …” node and redirects both actions and decisions to the named node', () => {
  const text =
    '1. Ping the server\n2. If the ping fails, then go back to ping the server\n3. Check the lamp\n4. Go back to check the lamp'
  const nodes = linkJumps(buildTree(parseStatements(text), createIdGenerator([])), false)
  const idByTitle = new Map(nodes.map(({ id, title }) => [title, id]))
  expect(nodes.map(({ title }) => title)).toEqual([
    'Ping the server',
    'Is it so that the ping fails?',
    'Check the lamp',
  ])
  expect(nodes.find(({ kind }) => kind === 'decision')?.options[0]?.leads_to).toBe(
    idByTitle.get('Ping the server'),
  )
  expect(nodes.find(({ title }) => title === 'Check the lamp')?.next).toBe(idByTitle.get('Check the lamp'))
})

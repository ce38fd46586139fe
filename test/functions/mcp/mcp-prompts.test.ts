// @module-tag behaviour
import { describe, expect, it } from 'vitest'
import { renderPrompt } from '#functions/mcp/prompts.ts'

describe('the MCP server', () => {
  it.each([
    ['unknown', {}, 'There is no prompt unknown'],
    ['diagnose_ticket', {}, 'The prompt needs ticket_id'],
    ['diagnose_ticket', { ticket_id: '' }, 'The prompt needs ticket_id'],
  ])('refuses the prompt %s with %j', (name, values, message) => {
    expect(() => renderPrompt(name, values as Record<string, string>)).toThrow(new RangeError(message))
  })
  it('puts at most 100 characters of an argument into a prompt', () => {
    expect(renderPrompt('diagnose_ticket', { ticket_id: '4711' }).text).toContain('with the ticket 4711.')
    expect(renderPrompt('diagnose_ticket', { ticket_id: 'x'.repeat(101) }).text).toContain(
      ` ${'x'.repeat(100)}.`,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { redact } from '../../lib/ai/redaction.ts'
import { maskReport } from '../../lib/exports/mask.ts'
import { mask } from '../../lib/text/mask.ts'
import { createReport } from '../support/report.ts'

describe('redact', () => {
  it.each([
    [{ known: [{ key: 'API key', value: '9f8e7d6c5b4a' }] }],
    [{ steps: [{ kind: 'question', text: 'What is the password?', response: 'correcthorse' }] }],
    [{ variables: { admin_password: 'rosebud77x' } }],
    [{ ticket: { passwords: ['rosebud77x', 'rosebud78x'] } }],
    [{ known: [{ key: 'Door PIN', value: 4821 }] }],
  ])('SES-40 masks %j, in which the label is beside the secret', (facts) => {
    const text = JSON.stringify(redact(facts, 'secrets'))
    expect(text).toContain('[masked secret]')
    expect(text).not.toMatch(/9f8e|horse|rosebud|4821/)
  })

  it.each([
    [{ known: [{ key: 'Password', value: 'expired yesterday' }] }],
    [{ known: [{ key: 'Floor', value: '9f8e7d6c5b4a' }] }],
    [{ known: [{ key: 'Knows the password', value: 'yes' }] }],
    [{ password_policy: 'strict', token_count: 812 }],
  ])('SES-40 does not change %j', (facts) => {
    expect(redact(facts, 'secrets')).toEqual(facts)
  })

  it('changes nothing at the level none', () => {
    const facts = { known: [{ key: 'API key', value: '9f8e7d6c5b4a' }] }
    expect(redact(facts, 'none')).toEqual(facts)
  })
})

describe('maskReport', () => {
  it('SES-40 masks the values of labelled facts, and snippets with the title of a secret', () => {
    const report = maskReport(
      createReport({
        variables: [{ label: 'API key', value: '9f8e7d6c5b4a' }],
        evidence: [
          { kind: 'text', title: 'Initial password', content: 'sunflower', image: null },
          { kind: 'text', title: 'Recovery codes', content: '1a2b3-c4d5e\nf6a7b-8c9d0', image: null },
        ],
      }),
      mask,
    )
    expect(report.variables).toEqual([{ label: 'API key', value: '[masked secret]' }])
    expect(report.evidence.map(({ content }) => content)).toEqual(['[masked secret]', '[masked secret]\n[masked secret]'])
  })
})

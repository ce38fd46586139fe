import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const parts = {
  nodes: [
    {
      id: 'fw1',
      type: 'security',
      position: { x: 240.5, y: -40 },
      nodeType: 'Firewall',
      style: { opacity: 0.5, nested: { a: [1] } },
      data: { label: 'FW' },
    },
    { id: 'sw1', type: 'custom', position: { x: 0, y: 200 }, data: {} },
  ],
  edges: [
    { id: 'e1', source: 'fw1', target: 'sw1', label: '10 Gbit/s', routing: 'step', style: { stroke: '#123456' } },
    { id: 'e2', source: 'sw1', target: 'fw1' },
  ],
}

describe('a network diagram', () => {
  it('DIA-04 DIA-05 keeps its nodes and edges as they are, and refuses another routing', async () => {
    const { admin, teamId } = await newAccount(service)
    const { status, body } = await admin.call('POST', '/network-diagrams', { name: 'Head office', client_name: 'Fabrikam', ...parts })
    expect([status, body.team_id, body.client_name, body.asset_name, body.is_archived]).toEqual([201, teamId, 'Fabrikam', null, false])
    expect([body.nodes, body.edges]).toEqual([parts.nodes, parts.edges])
    expect((await admin.call('GET', `/network-diagrams/${body.id}`)).body).toEqual(body)
    for (const routing of ['straight', 'curved', 'step', 'zigzag']) {
      const edges = [{ ...parts.edges[0], routing }]
      expectStatus(await admin.call('PUT', `/network-diagrams/${body.id}`, { edges }), routing === 'zigzag' ? 422 : 200)
    }
  })

  it('DIA-01 needs a team', async () => {
    const account = await newAccount(service)
    const loner = await account.colleague({ teamId: null })
    const { status, body } = await loner.call('POST', '/network-diagrams', { name: 'X' })
    expect([status, body.errors[0].type]).toEqual([422, 'no_team'])
  })

  it('DIA-13 refuses an edge to a missing node and an id used twice, also when only one half is given', async () => {
    const { admin } = await newAccount(service)
    const edges = [{ id: 'e1', source: 'fw1', target: 'gone' }]
    const { status, body } = await admin.call('POST', '/network-diagrams', { name: 'X', nodes: [parts.nodes[0], parts.nodes[0]], edges })
    expect([status, body.errors]).toEqual([
      422,
      [
        { loc: ['body', 'nodes', 1, 'id'], msg: 'The id fw1 is used twice', type: 'custom' },
        { loc: ['body', 'edges', 0, 'target'], msg: 'There is no node gone', type: 'custom' },
      ],
    ])
    const made = (await admin.call('POST', '/network-diagrams', { name: 'X', ...parts })).body
    const half = await admin.call('PUT', `/network-diagrams/${made.id}`, { nodes: [parts.nodes[0]] })
    expect([half.status, half.body.errors.length]).toEqual([422, 2])
    expect((await admin.call('GET', `/network-diagrams/${made.id}`)).body).toEqual(made)
  })

  it('DIA-14 holds 1,000 nodes and 2,000 edges and not one more, and draws them', async () => {
    const { admin } = await newAccount(service)
    const nodes = Array.from({ length: 1000 }, (_, n) => ({
      id: `n${n}`,
      type: 'network',
      position: { x: (n % 40) * 200, y: Math.floor(n / 40) * 150 },
      data: { label: `Switch ${n}` },
    }))
    const edges = Array.from({ length: 2000 }, (_, n) => ({ id: `e${n}`, source: `n${n % 1000}`, target: `n${(n * 7 + 1) % 1000}` }))
    const { status, body } = await admin.call('POST', '/network-diagrams', { name: 'Big', nodes, edges })
    expect(status).toBe(201)
    const { text } = await admin.call('GET', `/network-diagrams/${body.id}/export?format=svg`)
    expect([text.match(/<g><rect /g)?.length, text.match(/fill="none" stroke="#6b7280"/g)?.length]).toEqual([1000, 2000])
    const more = await admin.call('PUT', `/network-diagrams/${body.id}`, { nodes: [...nodes, { ...nodes[0], id: 'x' }] })
    const lines = await admin.call('PUT', `/network-diagrams/${body.id}`, { edges: [...edges, { ...edges[0], id: 'x' }] })
    expect([more.status, lines.status]).toEqual([422, 422])
  })

  it('DIA-06 is seen by its team and an account admin, and changed by who may', async () => {
    const account = await newAccount(service)
    const [maker, teammate, stranger] = [await account.colleague(), await account.colleague(), await account.colleague({ teamId: null })]
    const { body } = await maker.call('POST', '/network-diagrams', { name: 'Ours', ...parts })
    const see = async (who: typeof maker) => (await who.call('GET', `/network-diagrams/${body.id}`)).status
    expect([await see(teammate), await see(stranger), await see(account.admin)]).toEqual([200, 404, 200])
    expect((await stranger.call('GET', '/network-diagrams')).body).toEqual([])
    expectStatus(await teammate.call('PUT', `/network-diagrams/${body.id}`, { name: 'x' }), 403)
    expectStatus(await teammate.call('POST', `/network-diagrams/${body.id}/archive`), 403)
    expect((await account.admin.call('PUT', `/network-diagrams/${body.id}`, { name: 'Renamed' })).body).toMatchObject({
      name: 'Renamed',
      edges: parts.edges,
    })
  })

  it('DIA-07 is duplicated with the same nodes and edges, by whoever sees it', async () => {
    const account = await newAccount(service)
    const teammate = await account.colleague()
    const { body } = await account.admin.call('POST', '/network-diagrams', { name: 'Ours', client_name: 'C', ...parts })
    const copy = await teammate.call('POST', `/network-diagrams/${body.id}/duplicate`)
    expect([copy.status, copy.body.name, copy.body.created_by, copy.body.client_name]).toEqual([201, 'Ours (copy)', teammate.id, 'C'])
    expect([copy.body.nodes, copy.body.edges]).toEqual([body.nodes, body.edges])
  })

  it('DIA-08 leaves the normal list when it is archived, and comes back', async () => {
    const { admin } = await newAccount(service)
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Old', client_name: 'Fabrikam' })
    const count = async (query: string) => (await admin.call('GET', `/network-diagrams${query}`)).body.length
    expect((await admin.call('POST', `/network-diagrams/${body.id}/archive`)).body.is_archived).toBe(true)
    expect([await count(''), await count('?archived=true')]).toEqual([0, 1])
    expect((await admin.call('GET', '/network-diagrams/clients')).body).toEqual([])
    expect((await admin.call('POST', `/network-diagrams/${body.id}/archive`, { archived: false })).body.is_archived).toBe(false)
    expect(await count('')).toBe(1)
  })

  it('DIA-02 DIA-03 is found by words that are taken literally, and by client', async () => {
    const { admin } = await newAccount(service)
    await admin.call('POST', '/network-diagrams', { name: 'VLAN 100% done', client_name: 'Fabrikam', asset_name: 'sw_core' })
    await admin.call('POST', '/network-diagrams', { name: 'VLAN 1000 plan', client_name: 'FABRIKAM', description: 'swxcore' })
    await admin.call('POST', '/network-diagrams', { name: 'Other', client_name: 'Contoso' })
    const names = async (query: string) =>
      (await admin.call('GET', `/network-diagrams?${query}`)).body.map(({ name }: { name: string }) => name).sort()
    expect(await names('search=100%25')).toEqual(['VLAN 100% done'])
    expect(await names('search=sw_core')).toEqual(['VLAN 100% done'])
    expect(await names('search=vlan')).toEqual(['VLAN 100% done', 'VLAN 1000 plan'])
    expect(await names('client=fabrikam')).toEqual(['VLAN 100% done', 'VLAN 1000 plan'])
    expect((await admin.call('GET', '/network-diagrams/clients')).body).toEqual([
      { client_name: 'Contoso', count: 1 },
      { client_name: expect.stringMatching(/fabrikam/i), count: 2 },
    ])
  })
})

describe('a diagram that travels', () => {
  it('comes back equal from its own file', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    const made = (
      await theirs.admin.call('POST', '/network-diagrams', {
        name: 'Büro / 2',
        description: 'x',
        client_name: 'F',
        asset_name: 'A',
        ...parts,
      })
    ).body
    const file = await theirs.admin.call('GET', `/network-diagrams/${made.id}/export`)
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''buro-2.diagram.json")
    const { status, body } = await ours.admin.call('POST', '/network-diagrams/import', JSON.parse(file.text))
    expect([status, body.skipped]).toEqual([201, []])
    const { name, description, client_name, asset_name, nodes, edges } = body.diagram
    expect({ name, description, client_name, asset_name, nodes, edges }).toEqual({
      name: 'Büro / 2',
      description: 'x',
      client_name: 'F',
      asset_name: 'A',
      ...parts,
    })
    expect(file.text).not.toContain(theirs.admin.accountId)
  })

  const cells = `<root><mxCell id="0"/><mxCell id="1" parent="0"/>
    <mxCell id="g" value="Rack" style="group" vertex="1" parent="1"><mxGeometry x="100" y="50" width="400" height="300" as="geometry"/></mxCell>
    <object id="fw" label="&lt;b&gt;FW-HQ&lt;/b&gt;" ip="10.0.0.1"><mxCell style="shape=mxgraph.cisco.security.firewall;fillColor=#FF0000;" vertex="1" parent="g"><mxGeometry x="10" y="20" width="80" height="60" as="geometry"/></mxCell></object>
    <mxCell id="sw" value="Core &amp;amp; edge" style="shape=mxgraph.cisco.switches.layer_3_switch" vertex="1" parent="1"><mxGeometry x="300" y="400" width="80" height="60" as="geometry"/></mxCell>
    <mxCell id="e" style="edgeStyle=orthogonalEdgeStyle" edge="1" source="fw" target="sw" parent="1"><mxGeometry relative="1" as="geometry"/></mxCell>
    <mxCell id="l" value="10G" style="edgeLabel;html=1" vertex="1" parent="e"><mxGeometry relative="1" as="geometry"/></mxCell>
    <mxCell id="t" value="Drawn in 2024" style="text;html=1" vertex="1" parent="1"><mxGeometry x="0" y="0" as="geometry"/></mxCell>
    <mxCell id="loose" value="Nowhere" edge="1" source="fw" parent="1"/></root>`
  const expected = {
    nodes: [
      {
        id: 'fw',
        type: 'security',
        position: { x: 110, y: 70 },
        style: { backgroundColor: '#ff0000' },
        data: { label: 'FW-HQ', category: 'security' },
      },
      { id: 'sw', type: 'network', position: { x: 300, y: 400 }, data: { label: 'Core & edge', category: 'network' } },
    ],
    edges: [{ id: 'e', source: 'fw', target: 'sw', routing: 'step', label: '10G' }],
  }
  const packed = deflateRawSync(encodeURIComponent(`<mxGraphModel>${cells}</mxGraphModel>`)).toString('base64')

  it.each([
    ['plain', `<mxfile><diagram name="HQ"><mxGraphModel>${cells}</mxGraphModel></diagram><diagram name="Branch">x</diagram></mxfile>`],
    ['compressed', `<?xml version="1.0"?><mxfile><diagram name="HQ">${packed}</diagram><diagram name="Branch">x</diagram></mxfile>`],
  ])('comes from a %s draw.io file as far as it is understood, and lists the rest', async (_, content) => {
    const { admin } = await newAccount(service)
    const { status, body } = await admin.call('POST', '/network-diagrams/import', { format: 'drawio', content })
    expect([status, body.diagram?.name, body.diagram?.nodes, body.diagram?.edges]).toEqual([201, 'HQ', expected.nodes, expected.edges])
    expect(body.skipped).toEqual([
      'Page “Branch”: only the first page is taken',
      'Group “Rack”: what is in it is taken',
      'Text “Drawn in 2024”',
      'Line “Nowhere”: it does not join two shapes that were taken',
    ])
  })

  it('is refused with a word when the file is hostile or none', async () => {
    const { admin } = await newAccount(service)
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 'a')).toString('base64')
    const files = [
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><mxfile><diagram>&e;</diagram></mxfile>',
      '<mxfile><diagram>not base64 !</diagram></mxfile>',
      `<mxfile><diagram>${bomb}</diagram></mxfile>`,
      `<mxGraphModel>${'<a>'.repeat(5000)}`,
      '<mxfile/>',
      'hello',
      `<mxGraphModel><root>${'<mxCell id="x" vertex="1"/>'.repeat(20_001)}</root></mxGraphModel>`,
    ]
    const words: string[] = []
    for (const content of files) {
      const started = performance.now()
      const { status, body } = await admin.call('POST', '/network-diagrams/import', { format: 'drawio', content })
      expect([content.slice(0, 60), status, body.errors?.[0]?.loc]).toEqual([content.slice(0, 60), 422, ['body', 'content']])
      expect(performance.now() - started).toBeLessThan(3000)
      words.push(body.errors[0].msg)
    }
    expect(words).toEqual([
      'The file declares a document type; draw.io files have none',
      'The compressed diagram cannot be unpacked, or is too large',
      'The compressed diagram cannot be unpacked, or is too large',
      'The file is nested too deep',
      'The file holds no diagram',
      expect.stringContaining('no well-formed XML'),
      'The file has more than 20,000 cells',
    ])
    expect((await admin.call('GET', '/network-diagrams')).body).toEqual([])
  })
})

describe('the picture of a diagram', () => {
  it('DIA-15 holds no script, no address and no markup of the diagram’s, whatever it says', async () => {
    const { admin } = await newAccount(service)
    const evil = '"><script>alert(1)</script><image href="https://evil.example/x"/>&lt;'
    const style = {
      stroke: 'url(https://evil.example)',
      fill: 'red;}</style>',
      backgroundColor: evil,
      strokeWidth: '1" onload="x',
      width: 1e99,
      onclick: 'x',
    }
    const nodes = [
      {
        id: evil.slice(0, 90),
        type: evil.slice(0, 90),
        position: { x: 0, y: 0 },
        style,
        data: { label: `${evil}\u0007`, icon: evil, category: evil },
      },
      { id: 'b', type: 'cloud', position: { x: 400, y: 300 }, data: { label: 'javascript:alert(1)' } },
    ]
    const edges = [{ id: 'e', source: nodes[0]?.id, target: 'b', label: evil, style: { ...style, strokeDasharray: evil } }]
    const { body } = await admin.call('POST', '/network-diagrams', { name: evil, nodes, edges })
    const { headers, text } = await admin.call('GET', `/network-diagrams/${body.id}/export?format=svg`)
    expect(headers.get('content-type')).toBe('image/svg+xml')
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(headers.get('content-security-policy')).toContain('sandbox')
    // What is left without the texts between the tags.
    const markup = text.replace(/>[^<]*</g, '><')
    expect(markup).not.toMatch(/href|url\(|\son\w+=|style|evil|alert/i)
    expect(text).not.toContain('\u0007')
    expect(markup.match(/<\/?[a-z]+/gi)?.every((tag) => /^<\/?(svg|title|rect|g|path|text|tspan)$/.test(tag))).toBe(true)
  })
})

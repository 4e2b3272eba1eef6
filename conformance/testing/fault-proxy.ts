import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { type OfferFrame, pingText } from '../../protocol/link/index.ts'
import type { ScriptedHub } from '../node/hub.ts'
import type { Between, Fault, Frame } from './fault.ts'

export interface FaultProxy {
  readonly origin: string
  /** From now on this fault is in force, on new sockets. */
  use: (fault: Fault) => void
  readonly stop: () => Promise<void>
}

/** Stands between a node and the scripted hub, on sockets of both. */
export async function startFaultProxy(
  stage: { readonly hub: () => ScriptedHub; readonly baitOf: Between['hub']['baitOf'] },
  parts: Pick<Between, 'profile' | 'seed'>,
): Promise<FaultProxy> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const open = new Set<Duplex>()
  let fault: Fault = { name: 'none', breaks: [] }
  let state = {
    links: 0,
    memory: new Map<string, Frame>(),
    offers: new Map<string, OfferFrame>(),
    voted: new Set<string>(),
  }

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url, headers } = request
    const sent = httpRequest(stage.hub().origin + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  }
  server.on('request', forward)

  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    const own = { ...state }
    state.links += 1
    const between: Between = {
      ...parts,
      hub: stage,
      links: state.links,
      memory: own.memory,
      voted: own.voted,
      offerOf: ({ offer_id }) => own.offers.get(offer_id),
      close: () => {
        upward.terminate()
        socket.destroy()
      },
      pass: (text) => upward.send(text),
    }
    const mine = fault
    const given = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^x-|^sec-websocket-protocol$/.test(name)),
    ) as Record<string, string>
    const headers = mine.upgrade === undefined ? given : mine.upgrade(given, between)
    if (headers === null) {
      stage.hub().passOver()
      return void socket.destroy()
    }
    const { 'sec-websocket-protocol': protocols = '', ...others } = headers
    const offered = protocols.split(',').filter((name) => name !== '')
    const upward = openUpward(stage.hub().origin, offered, others)
    const early: string[] = []
    let down: WebSocket | null = null
    const tell = (text: string): void => {
      if (down === null) early.push(text)
      else down.send(text)
    }
    upward.on('message', (data) => {
      const text = data.toString('utf8')
      if (text.startsWith('{"type":"offer"')) {
        const frame = JSON.parse(text) as OfferFrame
        own.offers.set(frame.offer_id, frame)
      }
      for (const one of mine.fromHub?.(text, between) ?? [text]) tell(one)
    })
    upward.on('error', () => {})
    upward.on('close', (code) => {
      if (down === null) socket.destroy()
      // No code came with these two, and none can be sent.
      else if (code === 1005 || code === 1006) down.terminate()
      else {
        const [said] = mine.fromHub?.(`close ${code}`, between) ?? [`close ${code}`]
        // A fault that keeps the end of the connection from the node.
        if (said !== undefined) down.close(Number(said.slice('close '.length)))
      }
    })
    upward.on('open', () =>
      sockets.handleUpgrade(request, socket, head, (opened) => {
        down = opened
        for (const text of early) opened.send(text)
        opened.on('error', () => {})
        opened.on('close', () => upward.terminate())
        opened.on('message', (data) => {
          const text = data.toString('utf8')
          if (text === pingText) return upward.send(text)
          const frame = JSON.parse(text) as Frame
          for (const one of mine.fromNode?.(frame, between) ?? [text])
            upward.send(typeof one === 'string' || one instanceof Uint8Array ? one : JSON.stringify(one))
          if (frame.type === 'vote') own.voted.add(frame.offer_id)
        })
      }),
    )
  })
  const openUpward = (origin: string, protocols: readonly string[], headers: Record<string, string>) =>
    new WebSocket(`${origin.replace(/^http/, 'ws')}/v1/relay`, protocols, {
      headers,
      perMessageDeflate: false,
    })

  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    use: (next) => {
      fault = next
      state = { links: 0, memory: new Map(), offers: new Map(), voted: new Set() }
    },
    stop: async () => {
      const stopped = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      server.closeAllConnections()
      await stopped
    },
  }
}

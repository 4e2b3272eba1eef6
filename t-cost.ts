import { register } from './localnet/testing/registrations.ts'
import { domainOf, checkSignedBody, buildTypedData } from './protocol/typed-data.ts'
import { resolveProfile } from './protocol/profile.ts'
import { evmAddress, signEvmDigest, checkEvmSignature } from './protocol/crypto.ts'
import { hashAction } from './protocol/typed-data.ts'
import { encodeActionCall } from './workers/chain/action-calls.ts'
import { TransactionSigner } from './durable-objects/relayer/signer.ts'
const key='0x'+'12'.repeat(32); const p=resolveProfile(); const a='0x'+'0a'.repeat(20)
const c:any={project_registry:a,staking:a,token:a}
const message={developer:evmAddress(key),slug:'project',worker:'0x'+'01'.repeat(32),consensusHash:'0x'+'01'.repeat(32),manifestHash:'0x'+'01'.repeat(32),nonce:'0',deadline:String(Math.floor(Date.now()/1000)+3000)}
const domain=domainOf(p,c,'Register'); const digest=hashAction(domain,'Register',message); const signature=signEvmDigest(key,digest)
const body={typed_data:buildTypedData(domain,'Register',message),signature}
const t=(n:string,f:()=>unknown,k=300)=>{for(let i=0;i<30;i++)f();const s=process.cpuUsage();for(let i=0;i<k;i++)f();const e=process.cpuUsage(s);console.log(n,((e.user+e.system)/1000/k).toFixed(2),'ms')}
t('checkSignedBody',()=>checkSignedBody(body,{primaryType:'Register',domain,message:{developer:message.developer}},Math.floor(Date.now()/1000)))
t('hashAction',()=>hashAction(domain,'Register',message))
t('recover',()=>checkEvmSignature(digest,signature,message.developer))
t('encode',()=>encodeActionCall('register_project',{message,digest,signature,permit:null}))
const s=new TransactionSigner(key,31337)
const st=process.cpuUsage(); for(let i=0;i<300;i++) await s.sign({nonce:i,to:a,data:'0x'+'00'.repeat(400),valueWei:0n,gas:100000,hollow:false} as any,{maxFeeWei:2n,tipWei:1n},1); const e=process.cpuUsage(st); console.log('sign tx',((e.user+e.system)/1000/300).toFixed(2))

#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cooperative_groups.h>
#include <cstdio>
#include <cassert>
namespace cg = cooperative_groups;
extern "C" __global__ void k_half(const half* a,const half* b,half* c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){half x=a[i],y=b[i];c[i]=__hfma(x,y,__hadd(x,y));c[i]=__hmax(c[i],x)*hexp2(y);}}
extern "C" __global__ void k_half2(const half2* a,const half2* b,half2* c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){half2 x=a[i],y=b[i];c[i]=__hfma2(x,y,__hmul2(x,__hmax2(x,y)));}}
#if __CUDA_ARCH__>=800
extern "C" __global__ void k_bf16(const __nv_bfloat16* a,const __nv_bfloat16* b,__nv_bfloat16* c,float* f,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){c[i]=__hfma(a[i],b[i],c[i]);f[i]=__bfloat162float(a[i])+(float)b[i];c[i]=__float2bfloat16(f[i]);}}
#endif
extern "C" __global__ void k_bf162(const __nv_bfloat162* a,__nv_bfloat162* c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){c[i]=__hmul2(a[i],c[i]);c[i]=__hadd2(c[i],a[i]);}}
extern "C" __global__ void k_fp8(const float* a,unsigned char* c,float* d,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){__nv_fp8_e4m3 q(a[i]);c[i]=q.__x;__nv_fp8_e5m2 r(a[i]);d[i]=(float)q+(float)r;}}
extern "C" __global__ void k_warp(int* a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;int v=a[i];for(int o=16;o;o>>=1)v+=__shfl_xor_sync(~0u,v,o);v+=__shfl_down_sync(~0u,v,3);v+=__shfl_up_sync(~0u,v,2,16);v^=__ballot_sync(~0u,v&1);if(__any_sync(~0u,v>3))v++;if(__all_sync(~0u,v>-1000))v--;v+=__popc(__match_any_sync(~0u,v));int p;v+=__match_all_sync(~0u,v,&p)+p;a[i]=v+__activemask();}
extern "C" __global__ void k_redux(int* a){int i=threadIdx.x;a[i]=__reduce_add_sync(~0u,a[i])+__reduce_max_sync(~0u,a[i])+__reduce_or_sync(~0u,(unsigned)a[i]);}
extern "C" __global__ void k_atomics(int* a,float* f,double* d,unsigned long long* u,unsigned* w){int i=threadIdx.x;atomicAdd(a,i);atomicMax(a+1,i);atomicMin(a+2,i);atomicAnd(a+3,i);atomicOr(a+4,i);atomicXor(a+5,i);atomicExch(a+6,i);atomicCAS(a+7,0,i);atomicAdd(f,1.f);atomicAdd(d,1.);atomicAdd(u,1ull);atomicInc(w,17);atomicDec(w+1,9);atomicAdd_block(a+8,1);atomicAdd_system(a+9,2);}
extern "C" __global__ void k_shatomics(int* a){__shared__ int s[8];if(threadIdx.x<8)s[threadIdx.x]=0;__syncthreads();atomicAdd(s,1);atomicMax(s+1,(int)threadIdx.x);atomicCAS(s+2,0,7);atomicExch(s+3,5);__syncthreads();if(threadIdx.x<8)a[threadIdx.x]=s[threadIdx.x];}
extern "C" __global__ void k_math(const float* a,float* b,const double* c,double* d){int i=threadIdx.x;float x=a[i];b[i]=sinf(x)+cosf(x)*expf(x)+logf(x)-powf(x,1.3f)+tanhf(x)+rsqrtf(x)+sqrtf(x)+erff(x)+fmodf(x,.7f)+rintf(x)+floorf(x)+ceilf(x)+truncf(x)+roundf(x)+__fdividef(x,3.f)+__frcp_rn(x)+__fadd_rz(x,1.f)+__fmul_ru(x,x)+__fmaf_rd(x,x,x)+copysignf(x,-1.f)+fabsf(x)+fminf(x,1.f)+fmaxf(x,2.f)+__saturatef(x)+hypotf(x,2.f)+ldexpf(x,3)+atan2f(x,2.f)+cbrtf(x)+tanf(x)+log2f(x)+exp2f(x);double y=c[i];d[i]=sin(y)+exp(y)+log(y)+sqrt(y)+y/3+pow(y,1.1)+fma(y,y,y)+floor(y)+erf(y)+atan(y);}
extern "C" __global__ void k_int(const int* a,const unsigned* b,long long* c,unsigned long long* d){int i=threadIdx.x;int x=a[i];unsigned y=b[i];c[i]=__mulhi(x,7)+__umulhi(y,9)+__clz(x)+__popc(y)+__ffs(x)+__brev(y)+__byte_perm(x,y,0x3210)+__funnelshift_l(x,y,5)+__sad(x,7,y)+x/(int)(y|1)+x%(int)(y|1)+y/7u+y%11u+abs(x)+min(x,3)+max(y,4u)+__dp4a(x,7,3)+__vadd4(x,y)+__vabsdiffs4(x,y)+__mul24(x,5)+__umul24(y,6);long long z=c[i];d[i]=z/(long long)(y|1)+z%(x|1)+__mul64hi(z,z)+__umul64hi(d[i],d[i])+__clzll(z)+__popcll(z)+(z<<(y&63))+(z>>(x&63));}
struct P{int x;float y[5];double z;char t[3];};
extern "C" __global__ void k_struct(const __grid_constant__ P p,P q,float* o){o[threadIdx.x]=p.x+p.y[threadIdx.x%5]+q.z+q.t[1]+p.y[q.x];}
__device__ __noinline__ float helper(float a,int n){float s=a;for(int i=0;i<n;i++)s=s*1.5f+i;return s;}
__device__ __noinline__ P helper2(P a,int n){a.x+=n;a.y[n&3]+=a.z;return a;}
extern "C" __global__ void k_call(float* o,P p){float v=helper(o[threadIdx.x],threadIdx.x&7);P q=helper2(p,threadIdx.x);o[threadIdx.x]=v+q.y[threadIdx.x&3]+q.x;}
typedef float(*fn)(float);
__device__ __noinline__ float f1(float a){return a+1;} __device__ __noinline__ float f2(float a){return a*2;}
__device__ fn table[2]={f1,f2};
extern "C" __global__ void k_indirect(float* o){o[threadIdx.x]=table[threadIdx.x&1](o[threadIdx.x]);}
extern "C" __global__ void k_printf(int* a){if(threadIdx.x==0)printf("%d %f\n",a[0],1.5);assert(a[0]>=0);}
extern "C" __global__ void k_switch(int* a){int v=a[threadIdx.x];switch(v){case 0:v=7;break;case 1:v=a[v+1];break;case 2:v*=3;break;case 3:v^=5;break;case 4:v=v*v;break;case 5:v-=9;break;case 6:v=a[0];break;case 7:v=v<<3;break;case 8:v=1;case 9:v+=2;break;default:v=-v;}a[threadIdx.x]=v;}
extern "C" __global__ void k_local(int* a,int n){int t[40];for(int i=0;i<40;i++)t[i]=a[i]*i;int s=0;for(int i=0;i<n;i++)s+=t[(i*7+threadIdx.x)%40];a[threadIdx.x]=s;}
__constant__ float coef[16]={1,2,3,4,5.5f}; __device__ int counter; __device__ const char* name="abc";
extern "C" __global__ void k_const(float* o,int n){o[threadIdx.x]=coef[n]+coef[threadIdx.x&15]+name[threadIdx.x%3];if(threadIdx.x==0)counter=n;}
extern "C" __global__ void k_dyn(float* o){extern __shared__ float s[];s[threadIdx.x]=o[threadIdx.x];__syncthreads();o[threadIdx.x]=s[blockDim.x-1-threadIdx.x]+((double*)s)[0];}
extern "C" __global__ void k_cache(const float4* a,float4* b){int i=threadIdx.x;float4 v=__ldg(a+i),w=__ldcg(a+i),x=__ldcs(a+i),y=__ldcv(a+i);v.x+=w.x+x.y+y.z;__stcs(b+i,v);__stcg(b+i+32,w);__stwt(b+i+64,x);}
extern "C" __global__ void k_barrier(int* a){int c=__syncthreads_count(a[threadIdx.x]>0);int d=__syncthreads_and(a[threadIdx.x]>-5);int e=__syncthreads_or(a[threadIdx.x]>5);__syncwarp();__threadfence();__threadfence_block();a[threadIdx.x]=c+d+e;}
extern "C" __global__ void k_volatile(volatile int* f,int* o){if(threadIdx.x==0){o[0]=5;__threadfence();f[0]=1;}else{while(f[0]==0);o[threadIdx.x]=o[0];}}
extern "C" __global__ void k_cg(float* o){auto b=cg::this_thread_block();auto w=cg::tiled_partition<32>(b);float v=o[threadIdx.x];for(int i=w.size()/2;i;i/=2)v+=w.shfl_down(v,i);b.sync();if(w.thread_rank()==0)o[threadIdx.x]=v;}
extern "C" __global__ void __launch_bounds__(128,4) k_bounds(int*a){a[threadIdx.x]+=1;}
extern "C" __global__ void k_nested(int* a,int n){int s=0;for(int i=0;i<n;i++){if((i+threadIdx.x)%3==0)continue;if(i>threadIdx.x)break;for(int j=0;j<i;j++){if(j==threadIdx.x%5)break;s+=j;}}a[threadIdx.x]=s;}
extern "C" __global__ void k_early(int* a,int n){if(threadIdx.x>=n)return;__syncwarp(__activemask());a[threadIdx.x]=clock()*0+blockIdx.y;}
template<typename T>__global__ void tk(T*a,T b){a[threadIdx.x]=a[threadIdx.x]*b+T(3);}
template __global__ void tk<int>(int*,int);template __global__ void tk<double>(double*,double);template __global__ void tk<short>(short*,short);template __global__ void tk<unsigned char>(unsigned char*,unsigned char);template __global__ void tk<long long>(long long*,long long);template __global__ void tk<signed char>(signed char*,signed char);template __global__ void tk<unsigned short>(unsigned short*,unsigned short);
extern "C" __global__ void k_cvt(const double*d,const float*f,const int*i,const unsigned long long*u,short*s,unsigned char*c,long long*l,half*h,float*g,double*e){int t=threadIdx.x;s[t]=(short)f[t];c[t]=(unsigned char)d[t];l[t]=(long long)f[t]+(long long)d[t];h[t]=(half)f[t];g[t]=(float)d[t]+(float)i[t]+(float)u[t]+__int2float_rz(i[t])+__double2float_rd(d[t]);e[t]=(double)f[t]+(double)l[t]+(double)u[t];i=0;l[t]+=__float2int_rn(f[t])+__float2uint_ru(f[t])+__half2int_rn(h[t])+__double2ll_rd(d[t])+__float_as_int(f[t])+__double2hiint(d[t]);}

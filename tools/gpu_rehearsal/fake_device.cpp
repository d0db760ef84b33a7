// A CUDA device without CUDA, for a CPU build of torch: what C++ code asks for the number of
// devices, the current one and its stream. Tensors on it have no memory (FakeTensorMode).
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/FakeGuardImpl.h>

namespace {

struct FakeHooks : at::CUDAHooksInterface {
  explicit FakeHooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
};

using at::CUDAHooksArgs;
using at::CUDAHooksRegistry;
using at::RegistererCUDAHooksRegistry;
C10_REGISTER_TYPED_CLASS(CUDAHooksRegistry, "CUDAHooks", FakeHooks)

c10::impl::FakeGuardImpl<c10::DeviceType::CUDA> guard;
c10::impl::DeviceGuardImplRegistrar registrar(c10::DeviceType::CUDA, &guard);

}  // namespace

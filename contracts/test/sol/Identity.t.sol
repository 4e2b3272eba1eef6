// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Slug} from "../../src/lib/Slug.sol";
import {ProjectRegistry} from "../../src/ProjectRegistry.sol";
import {PayoutLeaf} from "../../src/types/VaultTypes.sol";
import {VaultFactory} from "../../src/VaultFactory.sol";
import {ForgeTest} from "./Vm.sol";

/// @title What things are called, derived once more and more simply
contract IdentityTest is ForgeTest {
    ProjectRegistry private _registry;
    VaultFactory private _factory;

    function setUp() external {
        _registry = new ProjectRegistry("Hub ProjectRegistry", "hub-project-v1:", address(this), address(this), address(this));
        _factory = new VaultFactory(_registry, address(1), 1 hours, 2 days, address(this), address(this), address(this), address(this));
    }

    function testFuzz_VaultIsWhereItWasPredicted(address developer, uint32 number) external {
        vm.assume(developer != address(0));
        string memory slug = _slug(number);
        vm.prank(developer);
        bytes32 projectId = _registry.register(slug, bytes32(0), bytes32(0), bytes32(0));
        assert(projectId == keccak256(abi.encodePacked("hub-project-v1:", developer, slug)));
        bytes32 code = keccak256(
            abi.encodePacked(
                hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
                _factory.implementation(),
                hex"5af43d82803e903d91602b57fd5bf3"
            )
        );
        bytes32 hash = keccak256(abi.encodePacked(hex"ff", address(_factory), projectId, code));
        assert(_factory.vaultOf(projectId) == address(uint160(uint256(hash))));
    }

    function testFuzz_Slug(bytes calldata text) external pure {
        assert(Slug.isValid(string(text)) == _isSlug(text));
    }

    /// @dev Random bytes are hardly ever a slug, so most of the alphabet is taken out of it.
    function testFuzz_SlugOfLikelyCharacters(bytes calldata seed) external view {
        bytes memory alphabet = "abz019--A_`{/:";
        bytes memory text = new bytes(seed.length % 51);
        for (uint256 i = 0; i < text.length; ++i) text[i] = alphabet[uint8(seed[i]) % alphabet.length];
        this.testFuzz_Slug(text);
    }

    /// @dev 64 bytes are hashed for an inner node, and a leaf is the hash of a hash: neither passes as the other.
    function testFuzz_InnerNodeIsNoLeaf(bytes32 a, bytes32 b, bytes32 project, uint256 epoch, address miner, uint256 amount)
        external
        pure
    {
        bytes32 leaf = PayoutLeaf.hash(project, epoch, miner, amount);
        bytes32 inner = a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
        assert(leaf != inner);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = a;
        assert(!MerkleProof.verify(proof, inner, leaf) || leaf == b);
    }

    function _isSlug(bytes calldata text) private pure returns (bool) {
        if (text.length < 3 || text.length > 48) return false;
        if (text[0] == "-" || text[text.length - 1] == "-") return false;
        for (uint256 i = 0; i < text.length; ++i) {
            uint8 char = uint8(text[i]);
            bool isKnown = char == 0x2d || (char >= 0x30 && char <= 0x39) || (char >= 0x61 && char <= 0x7a);
            if (!isKnown) return false;
        }
        return true;
    }

    function _slug(uint32 number) private pure returns (string memory) {
        bytes memory text = "project-0000000000";
        for (uint256 i = text.length - 1; number != 0; --i) {
            text[i] = bytes1(uint8(0x30 + (number % 10)));
            number /= 10;
        }
        return string(text);
    }
}
